// SPDX-License-Identifier: Apache-2.0
// What to know first: how long a step takes, against what, whether it fits, what limits it, and who does the work.
import { el, scrollBox } from "./dom";
import { bytes, grouped, percent, plural, seconds } from "./format";
import type { Plan } from "./data";
import { shareBar } from "./shares";
import type { Store } from "./store";
import { deviceColours } from "./theme";
import { capital, valueName } from "./words";

export class Summary {
  readonly element = el("section", { id: "summary", class: "summary", tabindex: -1, "aria-label": "Summary" });

  constructor(private store: Store) {
    this.fill();
    store.onChange((change) => {
      if (change === "plan") this.fill();
    });
  }

  private fill(): void {
    this.element.replaceChildren(this.verdict(), this.devices());
  }

  private verdict(): HTMLElement {
    const { plan, report } = this.store;
    const gap = plan.bound_s > 0 ? plan.step_s / plan.bound_s - 1 : 0;
    const facts = el("dl", { class: "facts" });
    const fact = (term: string, text: string, note = "") =>
      facts.append(el("div", {}, el("dt", {}, term), el("dd", {}, text, note && el("small", {}, note))));
    if (plan.bound_s > 0) {
      fact(
        "lower bound",
        seconds(plan.bound_s),
        !plan.feasible ? "" : gap > 1e-9 ? `the ${valueName(report)} is ${percent(gap)} above it` : "met: no plan is faster",
      );
    }
    for (const yardstick of report.yardsticks) {
      fact(
        yardstick.name,
        yardstick.step_s === null ? "out of memory" : seconds(yardstick.step_s),
        yardstick.step_s === null
          ? yardstick.note
          : [versus(plan, yardstick.step_s), yardstick.note].filter(Boolean).join(" \u00b7 "),
      );
    }
    if (plan.evaluations > 0 && plan.search_s > 0) {
      fact(
        "search",
        seconds(plan.search_s),
        `${plural(plan.evaluations, "plan")} simulated, seed ${plan.seed}${plan.interrupted ? "; interrupted" : ""}`,
      );
    }
    return el(
      "div",
      { class: "card verdict" },
      el("p", { class: "label" }, plan.feasible ? capital(valueName(report)) : `No ${valueName(report)}`),
      plan.feasible
        ? el("p", { class: "hero" }, seconds(plan.step_s))
        : el("p", { class: "hero alarm" }, "Out of memory", el("small", {}, this.overflow(plan))),
      el("p", { class: "planner" }, el("strong", {}, plan.name), plan.note && ` \u00b7 ${plan.note}`),
      facts,
      el(
        "div",
        { class: "limits" },
        el("h3", {}, plan.feasible ? "What limits it" : "What would limit it with endless memory"),
        el("ul", {}, ...plan.limits.map((text) => el("li", {}, capital(text)))),
      ),
    );
  }

  private overflow(plan: Plan): string {
    const { report } = this.store;
    if (!plan.overflow) return "";
    const { device, over, op } = plan.overflow;
    return (
      `${report.devices[device].name} is ${bytes(over)} over its capacity` +
      `${op >= 0 ? `, at ${report.names[op]}` : ""}: this plan cannot run, so it has no ${valueName(report)}`
    );
  }

  private devices(): HTMLElement {
    const { plan, report } = this.store;
    const colours = deviceColours(report);
    const rows = report.devices.map((device, i) => {
      const use = plan.devices[i];
      const busy = plan.step_s > 0 ? use.busy_s / device.lanes / plan.step_s : 0;
      const critical = plan.step_s > 0 ? use.critical_s / plan.step_s : 0;
      const full = device.capacity ? use.peak / device.capacity : 0;
      const over = device.capacity !== null && use.peak > device.capacity;
      return el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          el("span", { class: "swatch", style: `background:${colours[i]}` }),
          device.name,
          el("small", {}, device.model),
        ),
        el("td", { class: "number" }, grouped(use.ops)),
        el("td", { class: "bars" }, bar(busy, colours[i], Math.min(critical, busy))),
        el("td", { class: "number" }, percent(busy), el("small", {}, seconds(use.busy_s))),
        el("td", { class: "bars" }, device.capacity === null ? "" : bar(full, colours[i], 0, over)),
        el(
          "td",
          { class: over ? "number alarm" : "number" },
          device.capacity === null ? "" : percent(full),
          el("small", {}, `${bytes(use.peak)}${device.capacity === null ? "" : ` of ${bytes(device.capacity)}`}`),
        ),
      );
    });
    return el(
      "div",
      { class: "card devices" },
      scrollBox(
        "Work and memory of every device",
        el(
          "table",
          {},
          el("caption", { class: "hidden" }, "Work and memory of every device"),
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col" }, "Device"),
              el("th", { scope: "col", class: "number" }, "Ops"),
              el(
                "th",
                { scope: "col", colspan: 2 },
                "Busy",
                !plan.pipeline && el("span", { class: "key" }, "critical path"),
              ),
              el("th", { scope: "col", colspan: 2 }, plan.pipeline ? "Weights and constants" : "Peak memory"),
            ),
          ),
          el("tbody", {}, ...rows),
        ),
      ),
      !plan.pipeline && this.path(),
    );
  }

  // What the critical path is made of, and what its pieces were waited for.
  private path(): HTMLElement {
    const { plan, report } = this.store;
    const colours = deviceColours(report);
    const devices = report.devices.map((device, i) => ({
      name: device.name,
      value: plan.devices[i].critical_s,
      colour: colours[i],
    }));
    return el(
      "div",
      { class: "path" },
      shareBar("The critical path runs on", [
        ...devices,
        { name: "links", value: plan.path.transfer_s, colour: "var(--stripes)" },
      ]),
      shareBar("and waits for", [
        { name: "results", value: plan.path.for_data_s, colour: "var(--wait-data)" },
        { name: "busy devices", value: plan.path.for_device_s, colour: "var(--wait-device)" },
        { name: "busy links", value: plan.path.for_link_s, colour: "var(--stripes)" },
      ]),
    );
  }
}

function versus(plan: Plan, step: number): string {
  if (!plan.feasible || plan.step_s === 0) return "";
  const ratio = step / plan.step_s;
  if (Math.abs(ratio - 1) < 5e-4) return "this plan is as fast";
  if (ratio < 1) return `this plan is ${percent(1 / ratio - 1)} slower`;
  return ratio < 1.05 ? `this plan is ${percent(ratio - 1)} faster` : `this plan is ${ratio.toFixed(2)}\u00d7 as fast`;
}

export function bar(share: number, colour: string, inner = 0, over = false): HTMLElement {
  const width = (value: number) => `width:${(100 * Math.min(1, value)).toFixed(2)}%`;
  return el(
    "span",
    { class: over ? "bar over" : "bar", "aria-hidden": "true" },
    el("i", { style: `${width(share)};background:${colour}` }),
    inner > 0 && el("b", { style: width(inner) }),
  );
}
