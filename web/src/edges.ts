// SPDX-License-Identifier: Apache-2.0
// Edges of the graph: as wide and as dark as they have bytes, so that what matters is seen among thousands of small ones.
// Those that cross devices are darker, those of weights and constants fainter.
import { COMPUTE, type Report } from "./data";
import type { Ink } from "./theme";

const THINNEST = 0.5,
  WIDEST = 4;
const SMALL = 4096; // bytes: edges with fewer are all alike

export class EdgeScale {
  private most: number;

  constructor(report: Report) {
    this.most = report.tensorBytes.reduce((most, size) => Math.max(most, size), 2 * SMALL);
  }

  // From 0 for small tensors to 1 for the largest; equal ratios are equal distances.
  private share(size: number): number {
    return Math.log(Math.max(1, size / SMALL)) / Math.log(this.most / SMALL);
  }

  width(size: number): number {
    return THINNEST + (WIDEST - THINNEST) * Math.pow(this.share(size), 1.5);
  }

  opacity(size: number, crosses: boolean, passive: boolean): number {
    const strength = crosses ? 0.16 + 0.7 * this.share(size) : 0.08 + 0.36 * this.share(size);
    return passive ? strength / 3 : strength;
  }

  // Sizes to show in the legend: the smallest, the largest and one between.
  marks(): number[] {
    return [SMALL, Math.sqrt(SMALL * this.most), this.most];
  }
}

export type Curve = (from: number, to: number) => void;

// Edges into the given ops. What crosses comes last, so that nothing hides it.
export function paintEdges(
  context: CanvasRenderingContext2D,
  report: Report,
  device: Uint8Array,
  scale: EdgeScale,
  ops: number[],
  theme: Ink,
  showPassive: boolean,
  curve: Curve,
): void {
  for (const crossing of [false, true]) {
    context.strokeStyle = crossing ? theme.critical : theme.muted;
    for (const op of ops) {
      for (let edge = report.inputBegin[op]; edge < report.inputBegin[op + 1]; ++edge) {
        const from = report.input[edge];
        const passive = report.role[from] !== COMPUTE;
        if ((device[from] !== device[op]) !== crossing || (passive && !showPassive)) continue;
        const size = report.tensorBytes[report.inputTensor[edge]];
        context.lineWidth = scale.width(size);
        context.globalAlpha = scale.opacity(size, crossing, passive);
        curve(from, op);
      }
    }
  }
  context.globalAlpha = 1;
}
