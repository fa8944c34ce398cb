// SPDX-License-Identifier: Apache-2.0
// Samples that stream through: what every device and link has to do for one of them. The largest load sets the pace.
import { COMPUTE, type Pipeline, type Plan, type Report } from "./data";
import { card, el, scrollBox } from "./dom";
import { bytes, grouped, percent, plural, seconds } from "./format";
import type { Store } from "./store";
import { deviceColours } from "./theme";

const MOST_LINKS = 8,
  MOST_PARTS = 4;

interface Stage {
  device: number;
  ops: number; // that compute
  at: number; // mean column
  parts: { lane: number; ops: number }[]; // of the model, from first to last
}

// Devices that have something to do, in the order in which a sample comes by.
function stagesOf(report: Report, plan: Plan, pipeline: Pipeline): Stage[] {
  const stages = report.devices.map((_, device) => ({ device, ops: 0, at: 0, lanes: new Map<number, number>() }));
  for (let op = 0; op < report.ops; ++op) {
    if (report.role[op] !== COMPUTE) continue;
    const stage = stages[plan.device[op]];
    stage.ops += 1;
    stage.at += report.column[op];
    stage.lanes.set(report.laneOf[op], (stage.lanes.get(report.laneOf[op]) ?? 0) + 1);
  }
  return stages
    .filter(({ device, ops }) => ops > 0 || pipeline.loads_s[device] > 0)
    .map(({ device, ops, at, lanes }) => ({
      device,
      ops,
      at: ops > 0 ? at / ops : -1,
      parts: [...lanes].map(([lane, ops]) => ({ lane, ops })).sort((a, b) => a.lane - b.lane),
    }))
    .sort((a, b) => a.at - b.at);
}

// Ops in the device's colour, then transfers in stripes; as long as `whole` seconds are wide.
function loadBar(pipeline: Pipeline, device: number, whole: number, colour: string): HTMLElement {
  const width = (time: number) => `width:${(whole > 0 ? (100 * time) / whole : 0).toFixed(2)}%`;
  const transfers = pipeline.transfers_s[device];
  return el(
    "span",
    { class: "bar load", "aria-hidden": "true" },
    el("i", { style: `${width(pipeline.loads_s[device] - transfers)};background:${colour}` }),
    el("i", { style: `${width(transfers)};background:var(--stripes)` }),
  );
}

// The loads of a plan alone, one bar below the other.
export function loadBars(report: Report, plan: Plan, whole: number): HTMLElement {
  const colours = deviceColours(report);
  const bars = report.devices.map((_, device) => loadBar(plan.pipeline!, device, whole, colours[device]));
  return el("div", { class: "loads", role: "img", "aria-label": `Loads of ${plan.name}` }, ...bars);
}

export class PipelineView {
  private body = el("div", {});
  readonly element = card(
    "pipeline",
    "Pipeline",
    "What every device and link has to do for one sample; the largest load sets the pace",
    [],
    this.body,
  );

  private partSizes: number[]; // ops that compute, per part

  constructor(private store: Store) {
    const { lanes, laneOf, role } = store.report;
    this.partSizes = lanes.map(() => 0);
    laneOf.forEach((lane, op) => (this.partSizes[lane] += role[op] === COMPUTE ? 1 : 0));
    this.fill();
    store.onChange((change) => {
      if (change === "plan") this.fill();
    });
  }

  private fill(): void {
    const { report, plan } = this.store;
    const stages = stagesOf(report, plan, plan.pipeline!);
    const idle = report.devices.filter((_, i) => !stages.some((stage) => stage.device === i)).map((d) => d.name);
    const links = [...plan.queues.keys()]
      .filter((queue) => plan.queues[queue].busy_s > 0)
      .sort((a, b) => plan.queues[b].busy_s - plan.queues[a].busy_s);
    const rest = links.slice(MOST_LINKS);
    const notes = [
      rest.length > 0 && `${plural(rest.length, "more link")}, up to ${this.time(plan.queues[rest[0]].busy_s)}`,
      idle.length > 0 && `nothing to do: ${idle.join(", ")}`,
    ].filter(Boolean);
    this.body.replaceChildren(
      scrollBox(
        "Load of every device and link",
        el(
          "table",
          { class: "stages" },
          el("caption", { class: "hidden" }, "Load of every device and link"),
          this.heading(),
          el("tbody", {}, ...stages.map((stage) => this.stage(stage))),
          el("tbody", {}, ...links.slice(0, MOST_LINKS).map((queue) => this.link(queue))),
        ),
      ),
      notes.length > 0 ? el("p", { class: "hint" }, notes.join("; ")) : "",
    );
  }

  private heading(): HTMLElement {
    return el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, "Stage"),
        el("th", { scope: "col" }, "Parts of the model"),
        el("th", { scope: "col" }, "Load: ops, then transfers in stripes"),
        el("th", { scope: "col", class: "number" }, "Per sample"),
      ),
    );
  }

  private row(limits: boolean, name: Node, what: Node | string, bar: HTMLElement, load: number, note: string) {
    return el(
      "tr",
      { class: limits ? "limit" : "" },
      el("th", { scope: "row" }, name),
      el("td", {}, what),
      el("td", { class: "bars" }, bar),
      el(
        "td",
        { class: "number" },
        this.time(load),
        el("small", {}, note),
        limits && el("strong", {}, "sets the pace"),
      ),
    );
  }

  private stage({ device, ops, parts }: Stage): HTMLElement {
    const { report, plan } = this.store;
    const pipeline = plan.pipeline!;
    const colour = deviceColours(report)[device];
    const transfers = pipeline.transfers_s[device];
    const name = el(
      "span",
      {},
      el("span", { class: "swatch", style: `background:${colour}` }),
      report.devices[device].name,
      el("small", {}, report.devices[device].model),
    );
    return this.row(
      pipeline.limiting_device === device,
      name,
      el("span", {}, this.parts(parts), el("small", {}, plural(ops, "op"))),
      loadBar(pipeline, device, plan.step_s, colour),
      pipeline.loads_s[device],
      `${seconds(pipeline.loads_s[device] - transfers)} ops, ${seconds(transfers)} transfers`,
    );
  }

  // "encoder.layer.0 to encoder.layer.5, pooler (2 of 8 ops) and 3 more": neighbours that are whole stand together.
  private parts(parts: Stage["parts"]): string {
    const { lanes } = this.store.report;
    const name = ({ lane }: { lane: number }) => lanes[lane].name || "other";
    const isWhole = ({ lane, ops }: Stage["parts"][0]) => ops === this.partSizes[lane];
    const words: string[] = [];
    for (let i = 0; i < parts.length; ) {
      let end = i + 1;
      while (end < parts.length && isWhole(parts[i]) && isWhole(parts[end]) && parts[end].lane === parts[end - 1].lane + 1)
        ++end;
      const { lane, ops } = parts[i];
      if (end > i + 1) words.push(`${name(parts[i])} to ${name(parts[end - 1])}`);
      else if (isWhole(parts[i])) words.push(name(parts[i]));
      else words.push(`${name(parts[i])} (${grouped(ops)} of ${plural(this.partSizes[lane], "op")})`);
      i = end;
    }
    const more = words.length - MOST_PARTS;
    return words.slice(0, MOST_PARTS).join(", ") + (more > 0 ? ` and ${grouped(more)} more` : "");
  }

  private link(queue: number): HTMLElement {
    const { report, plan } = this.store;
    const { busy_s, bytes: sent } = plan.queues[queue];
    const width = `width:${(plan.step_s > 0 ? (100 * busy_s) / plan.step_s : 0).toFixed(2)}%`;
    return this.row(
      plan.pipeline!.limiting_queue === queue,
      el("span", {}, report.queues[queue]),
      el("span", { class: "hint" }, "link"),
      el("span", { class: "bar", "aria-hidden": "true" }, el("i", { style: `${width};background:var(--stripes)` })),
      busy_s,
      bytes(sent),
    );
  }

  // With its share of the pace, which is 100 % for whoever sets it.
  private time(load: number): string {
    const { plan } = this.store;
    return plan.step_s > 0 ? `${seconds(load)} (${percent(load / plan.step_s)})` : seconds(load);
  }
}
