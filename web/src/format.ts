// SPDX-License-Identifier: Apache-2.0
// Quantities for people, as the command line writes them.

function digits(value: number): string {
  if (value === 0) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) * 1.0005)));
  return value.toFixed(Math.min(places, 2));
}

export function seconds(s: number): string {
  if (s === 0) return "0 s";
  if (s >= 0.9995) return s >= 600 ? `${digits(s / 60)} min` : `${digits(s)} s`;
  if (s >= 0.9995e-3) return `${digits(s * 1e3)} ms`;
  if (s >= 0.9995e-6) return `${digits(s * 1e6)} us`;
  return `${digits(s * 1e9)} ns`;
}

// A point in time, with digits enough to tell neighbours apart.
export function instant(s: number): string {
  return s >= 0.9995 ? `${s.toFixed(6)} s` : `${(s * 1e3).toFixed(3)} ms`;
}

export function bytes(b: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (b >= 999.5 && unit + 1 < units.length) ((b /= 1024), ++unit);
  return unit === 0 ? `${b} B` : `${digits(b)} ${units[unit]}`;
}

export function count(n: number): string {
  const units = ["", " k", " M", " G", " T", " P"];
  let unit = 0;
  while (n >= 999.5 && unit + 1 < units.length) ((n /= 1e3), ++unit);
  return digits(n) + units[unit];
}

export const grouped = (n: number): string => n.toLocaleString("en-US");

export function percent(share: number): string {
  const p = share * 100;
  return p > 0 && p < 0.95 ? `${p.toFixed(1)} %` : `${p.toFixed(0)} %`;
}

export const plural = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
