// SPDX-License-Identifier: Apache-2.0
// Marks of an axis of time.

export function niceStep(least: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

export function axisLabel(t: number, step: number): string {
  if (t < step / 2) return "0";
  const [unit, scale] = step >= 0.1 ? ["s", 1] : step >= 1e-4 ? ["ms", 1e3] : ["us", 1e6];
  const places = Math.max(0, -Math.floor(Math.log10(step * (scale as number)) + 1e-9));
  return `${(t * (scale as number)).toFixed(places)} ${unit}`;
}
