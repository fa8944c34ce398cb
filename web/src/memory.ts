// SPDX-License-Identifier: Apache-2.0
// How full a memory is over the step.
import type { Plan } from "./data";
import { bytes } from "./format";
import type { Store } from "./store";
import { deviceColours, type Ink } from "./theme";
import type { View } from "./view";

const WORTH_SHOWING = 0.5; // a capacity is on the axis if at least this much of it is used

export function memoryAt(plan: Plan, device: number, tick: number): number {
  const bin = Math.min(plan.memory_bins - 1, Math.max(0, Math.floor((tick / plan.stepTicks) * plan.memory_bins)));
  return plan.memory[device * plan.memory_bins + bin];
}

// The axis ends above the capacity, or above the peak where that is far below: a memory that is 1 % full is no flat line.
export function memoryAxis(capacity: number | null, peak: number): { end: number; showsCapacity: boolean } {
  const showsCapacity = capacity !== null && peak >= WORTH_SHOWING * capacity;
  return { end: Math.max(showsCapacity ? capacity : 0, peak, 1) * (showsCapacity ? 1.06 : 1.4), showsCapacity };
}

// Where the capacity is when it is not on the axis.
export function capacityNote(capacity: number | null, peak: number): string {
  if (capacity === null || peak <= 0 || memoryAxis(capacity, peak).showsCapacity) return "";
  const times = capacity / peak;
  const far = times < 1000 ? `, ${times.toFixed(times < 10 ? 1 : 0)}\u00d7 the peak` : "";
  return `\u2191 capacity ${bytes(capacity)}${far}`;
}

export function drawMemory(
  context: CanvasRenderingContext2D,
  store: Store,
  plan: Plan,
  row: { top: number; height: number; item: number },
  view: View,
  theme: Ink,
): void {
  const { capacity } = store.report.devices[row.item];
  const { peak } = plan.devices[row.item];
  const axis = memoryAxis(capacity, peak);
  const base = row.top + row.height;
  const at = (held: number) => base - (held / axis.end) * row.height;
  context.fillStyle = theme.faint;
  context.fillRect(view.options.gutter, row.top, view.plotWidth, row.height);
  drawLevels(context, plan, row.item, view, at, deviceColours(store.report)[row.item]);
  if (axis.showsCapacity) drawCapacity(context, view, at(capacity!), peak > capacity!, theme);
  const note = capacityNote(capacity, peak);
  context.font = "10px system-ui, sans-serif";
  if (context.measureText(note).width + 12 > view.plotWidth) return;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = theme.muted;
  context.fillText(note, view.width - 6, row.top + 6);
}

function drawLevels(
  context: CanvasRenderingContext2D,
  plan: Plan,
  device: number,
  view: View,
  at: (held: number) => number,
  colour: string,
): void {
  const bins = plan.memory_bins;
  const x = (bin: number) => view.px((bin / bins) * plan.stepTicks);
  const first = Math.floor(Math.max(0, view.x.from / plan.stepTicks) * bins);
  const last = Math.min(bins, Math.ceil((view.x.to / plan.stepTicks) * bins));
  const outline = () => {
    context.beginPath();
    for (let bin = first; bin < last; ++bin) {
      const y = at(plan.memory[device * bins + bin]);
      if (bin === first) context.moveTo(x(bin), y);
      context.lineTo(x(bin), y);
      context.lineTo(x(bin + 1), y);
    }
  };
  outline();
  context.lineTo(view.px(Math.min(view.x.to, plan.stepTicks)), at(0));
  context.lineTo(view.px(Math.max(0, view.x.from)), at(0));
  context.closePath();
  context.fillStyle = colour;
  context.globalAlpha = 0.3;
  context.fill();
  context.globalAlpha = 1;
  outline();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
}

function drawCapacity(context: CanvasRenderingContext2D, view: View, y: number, over: boolean, theme: Ink): void {
  context.setLineDash([5, 4]);
  context.strokeStyle = over ? theme.alarm : theme.muted;
  context.lineWidth = over ? 2 : 1;
  context.beginPath();
  context.moveTo(view.options.gutter, y);
  context.lineTo(view.options.gutter + view.plotWidth, y);
  context.stroke();
  context.setLineDash([]);
}
