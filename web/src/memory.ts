// SPDX-License-Identifier: Apache-2.0
// How full a memory is over the step.
import type { Plan } from "./data";
import type { Store } from "./store";
import { deviceColours, type Ink } from "./theme";
import type { View } from "./view";

export function memoryAt(plan: Plan, device: number, tick: number): number {
  const bin = Math.min(plan.memory_bins - 1, Math.max(0, Math.floor((tick / plan.stepTicks) * plan.memory_bins)));
  return plan.memory[device * plan.memory_bins + bin];
}

// Full height is the capacity; a memory that overflows is drawn to its peak, with the capacity as a line across it.
export function drawMemory(
  context: CanvasRenderingContext2D,
  store: Store,
  plan: Plan,
  row: { top: number; height: number; item: number },
  view: View,
  theme: Ink,
): void {
  const device = store.report.devices[row.item];
  const peak = plan.devices[row.item].peak;
  const most = Math.max(device.capacity ?? 0, peak, 1) * 1.06;
  const base = row.top + row.height;
  const at = (held: number) => base - (held / most) * row.height;
  const colour = deviceColours(store.report)[row.item];
  const over = device.capacity !== null && peak > device.capacity;
  const outline = () => {
    const first = Math.floor(Math.max(0, view.x.from / plan.stepTicks) * plan.memory_bins);
    const last = Math.min(plan.memory_bins, Math.ceil((view.x.to / plan.stepTicks) * plan.memory_bins));
    for (let bin = first; bin < last; ++bin) {
      const y = at(plan.memory[row.item * plan.memory_bins + bin]);
      const x0 = view.px((bin / plan.memory_bins) * plan.stepTicks),
        x1 = view.px(((bin + 1) / plan.memory_bins) * plan.stepTicks);
      if (bin === first) context.moveTo(x0, y);
      context.lineTo(x0, y);
      context.lineTo(x1, y);
    }
  };
  context.fillStyle = theme.faint;
  context.fillRect(view.options.gutter, row.top, view.plotWidth, row.height);
  context.beginPath();
  outline();
  context.lineTo(view.px(Math.min(view.x.to, plan.stepTicks)), base);
  context.lineTo(view.px(Math.max(0, view.x.from)), base);
  context.closePath();
  context.fillStyle = colour;
  context.globalAlpha = 0.3;
  context.fill();
  context.globalAlpha = 1;
  context.beginPath();
  outline();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  if (device.capacity === null) return;
  context.setLineDash([5, 4]);
  context.strokeStyle = over ? theme.alarm : theme.muted;
  context.lineWidth = over ? 2 : 1;
  context.beginPath();
  context.moveTo(view.options.gutter, at(device.capacity));
  context.lineTo(view.options.gutter + view.plotWidth, at(device.capacity));
  context.stroke();
  context.setLineDash([]);
}
