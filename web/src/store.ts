// SPDX-License-Identifier: Apache-2.0
// What the views share: which plan is shown, which op is chosen, how ops are coloured. Views subscribe to changes.
import type { Plan, Report } from "./data";
import { colouring, type ColourMode, type Colouring } from "./theme";

export type Change = "plan" | "op" | "colour" | "found" | "theme";

export class Store {
  plan: Plan;
  op: number | null = null;
  mode: ColourMode = "device";
  found: Uint8Array | null = null; // per op: whether the search matches it
  colours: Colouring;
  private listeners: ((change: Change) => void)[] = [];

  constructor(readonly report: Report) {
    this.plan = report.full[0];
    this.colours = colouring(report, this.plan.device, this.mode);
  }

  onChange(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  showPlan(index: number): void {
    this.plan = this.report.full[index];
    this.colours = colouring(this.report, this.plan.device, this.mode);
    this.tell("plan");
  }

  select(op: number | null): void {
    this.op = op;
    this.tell("op");
  }

  colourBy(mode: ColourMode): void {
    this.mode = mode;
    this.colours = colouring(this.report, this.plan.device, mode);
    this.tell("colour");
  }

  markFound(found: Uint8Array | null): void {
    this.found = found;
    this.tell("found");
  }

  themeChanged(): void {
    this.tell("theme");
  }
}
