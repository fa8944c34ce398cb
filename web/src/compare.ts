// SPDX-License-Identifier: Apache-2.0
// Several plans side by side: the figures in a table, and their timelines on one scale.
import { card, el } from "./dom";
import { bytes, grouped, percent, seconds } from "./format";
import type { Plan } from "./data";
import { loadBars } from "./pipeline";
import type { Store } from "./store";
import { colouring, ink } from "./theme";
import { drawEvents } from "./events";
import { View } from "./view";

const STRIP = 13;

export class Compare {
  readonly element: HTMLElement;
  private body = el("div", { class: "plans" });

  constructor(private store: Store) {
    this.element = card(
      "plans",
      "Plans side by side",
      "On one scale of time; choose one to see it above",
      [],
      this.body,
    );
    this.fill();
    store.onChange((change) => {
      if (change === "plan" || change === "colour" || change === "theme") this.fill();
    });
  }

  private fill(): void {
    const { report } = this.store;
    const best = Math.min(...report.full.filter((p) => p.feasible).map((p) => p.step_s));
    const longest = Math.max(...report.full.map((p) => p.step_s));
    this.body.replaceChildren(...report.full.map((plan) => this.row(plan, best, longest)));
  }

  private moved(plan: Plan): number {
    const first = this.store.report.full[0];
    let count = 0;
    for (let op = 0; op < plan.device.length; ++op) if (plan.device[op] !== first.device[op]) ++count;
    return count;
  }

  private row(plan: Plan, best: number, longest: number): HTMLElement {
    const { report } = this.store;
    const shown = plan.index === this.store.plan.index;
    const crossed = plan.traffic.reduce((a, b) => a + b, 0);
    const fullest = Math.max(...report.devices.map((d, i) => (d.capacity ? plan.devices[i].peak / d.capacity : 0)));
    const lines = [
      plan.feasible
        ? plan.step_s > best * 1.0005
          ? `${(plan.step_s / best).toFixed(2)}\u00d7 the best`
          : "the best here"
        : "does not fit in memory",
      `${bytes(crossed)} sent`,
      `fullest memory ${percent(fullest)}`,
    ];
    if (plan.index > 0) lines.push(`${grouped(this.moved(plan))} ops elsewhere than in ${report.full[0].name}`);
    return el(
      "div",
      { class: shown ? "plan shown" : "plan" },
      el(
        "div",
        { class: "about" },
        el(
          "button",
          {
            type: "button",
            class: "link",
            "aria-pressed": String(shown),
            onclick: () => this.store.showPlan(plan.index),
          },
          plan.name,
        ),
        el("p", { class: plan.feasible ? "time" : "time alarm" }, plan.feasible ? seconds(plan.step_s) : "OOM"),
        el("p", { class: "hint" }, lines.join(" \u00b7 ")),
      ),
      plan.pipeline ? loadBars(report, plan, longest) : this.strips(plan, longest),
    );
  }

  private strips(plan: Plan, longest: number): HTMLElement {
    const { report } = this.store;
    const colours = colouring(report, plan.device, this.store.mode);
    const view = new View({
      label: `Timeline of ${plan.name}`,
      world: { x: { from: 0, to: longest / plan.tick_s }, y: { from: 0, to: 1 } },
      closest: { x: 20, y: 1 },
      movesY: false,
      gutter: 0,
      height: report.devices.length * (STRIP + 2),
      draw: (context, v) => {
        const theme = ink();
        report.devices.forEach((_, i) => {
          context.fillStyle = theme.faint;
          context.fillRect(0, i * (STRIP + 2), v.px(plan.stepTicks), STRIP);
          drawEvents(
            context,
            plan.byStart[i],
            plan.start,
            plan.duration,
            v,
            () => true,
            (op) => colours.palette[colours.of[op]],
            () => i * (STRIP + 2),
            STRIP,
          );
        });
      },
      at: () => null,
      click: () => this.store.showPlan(plan.index),
    });
    return view.element;
  }
}
