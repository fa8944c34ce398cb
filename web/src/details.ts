// SPDX-License-Identifier: Apache-2.0
// The panel about the chosen op: its facts, and why it is where it is.
import { el } from "./dom";
import { bytes, count, grouped, instant, percent, plural, seconds } from "./format";
import type { Store } from "./store";
import { deviceColours } from "./theme";
import { valueName } from "./words";

const MOST_NEIGHBOURS = 6; // and outputs
const ROLES = ["compute", "parameter", "buffer", "constant", "input", "view"];

// An op at the other end of edges, and what comes along them.
interface Neighbour {
  op: number;
  tensors: number[];
  bytes: number;
}

export class Details {
  readonly element = el("aside", {
    class: "details",
    "aria-label": "The chosen op",
    "aria-live": "polite",
    hidden: true,
  });

  constructor(
    private store: Store,
    private zoomTo: (op: number) => void,
  ) {
    store.onChange((change) => {
      if (change === "op" || change === "plan") this.fill();
    });
  }

  private fill(): void {
    const { op } = this.store;
    this.element.hidden = op === null;
    if (op === null) return;
    const { report } = this.store;
    this.element.replaceChildren(
      el(
        "header",
        {},
        el("h2", {}, report.names[op]),
        el(
          "button",
          { type: "button", class: "icon", "aria-label": "Close", onclick: () => this.store.select(null) },
          "\u00d7",
        ),
      ),
      el(
        "p",
        { class: "actions" },
        el("button", { type: "button", onclick: () => this.zoomTo(op) }, "Show in the graph"),
      ),
      this.facts(op),
      ...this.attributes(op),
      el("h3", {}, "Why it is here"),
      this.reasons(op),
      this.alternatives(op),
      ...this.outputs(op),
      el("h3", {}, "Inputs"),
      this.neighbours(this.inputs(op)),
      el("h3", {}, "Used by"),
      this.neighbours(this.users(op)),
    );
  }

  private swatch(device: number): HTMLElement {
    const { report } = this.store;
    return el(
      "span",
      {},
      el("span", { class: "swatch", style: `background:${deviceColours(report)[device]}` }),
      report.devices[device].name,
    );
  }

  private facts(op: number): HTMLElement {
    const { report, plan } = this.store;
    const list = el("dl", { class: "plain" });
    const fact = (term: string, value: string | Node) => list.append(el("dt", {}, term), el("dd", {}, value));
    fact("device", this.swatch(plan.device[op]));
    fact(
      "type",
      report.types[report.type[op]] + (report.role[op] > 0 ? ` (${ROLES[report.role[op]] ?? "other"})` : ""),
    );
    if (report.modules[report.module[op]]) fact("module", report.modules[report.module[op]]);
    const leader = plan.leader.get(op);
    const at = leader ?? op;
    if (plan.duration[at] > 0 && plan.pipeline) {
      fact("takes", `${seconds(plan.duration[at] * plan.tick_s)} per sample`);
    } else if (plan.duration[at] > 0) {
      fact(
        "runs",
        `${instant(plan.start[at] * plan.tick_s)} to ${instant((plan.start[at] + plan.duration[at]) * plan.tick_s)} ` +
          `(${seconds(plan.duration[at] * plan.tick_s)})`,
      );
    } else {
      fact("runs", "takes no time");
    }
    if (leader !== undefined) fact("fused", `runs as one with ${report.names[leader]}`);
    if (!plan.pipeline) fact("critical path", plan.onPath[op] ? "yes: the step waits for it" : "no");
    if (report.flopsOf[op] > 0) fact("flops", count(report.flopsOf[op]));
    if (report.resident[op] > 0) fact("stays in memory", bytes(report.resident[op]));
    return list;
  }

  // As the model's file has them.
  private attributes(op: number): Node[] {
    const { report } = this.store;
    const text = report.attributes[report.attributesOf[op]];
    if (!text) return [];
    const list = el("dl", { class: "plain attributes" });
    for (const line of text.split("\n")) {
      const at = line.indexOf(" = ");
      if (at < 0) list.append(el("dt", {}, line), el("dd", {}));
      else list.append(el("dt", {}, line.slice(0, at)), el("dd", {}, el("code", {}, line.slice(at + 3))));
    }
    return [el("h3", {}, "Attributes"), list];
  }

  // What it makes: type, shape and bytes of every output.
  private outputs(op: number): Node[] {
    const { report } = this.store;
    const [begin, end] = [report.outputBegin[op], report.outputBegin[op + 1]];
    if (begin === end) return [];
    const list = el("ul", { class: "tensors" });
    for (let tensor = begin; tensor < Math.min(end, begin + MOST_NEIGHBOURS); ++tensor)
      list.append(el("li", {}, this.form(tensor), el("small", {}, bytes(report.tensorBytes[tensor]))));
    if (end - begin > MOST_NEIGHBOURS)
      list.append(el("li", { class: "hint" }, `and ${grouped(end - begin - MOST_NEIGHBOURS)} more`));
    return [el("h3", {}, "Outputs"), list];
  }

  private form(tensor: number): HTMLElement {
    const { report } = this.store;
    return el("code", {}, report.forms[report.tensorForm[tensor]]);
  }

  private neighbour(op: number, tensors: number[]): Neighbour {
    const { tensorBytes } = this.store.report;
    return { op, tensors, bytes: tensors.reduce((sum, tensor) => sum + tensorBytes[tensor], 0) };
  }

  // The tensors that an op takes from another.
  private taken(from: number, by: number): number[] {
    const { report } = this.store;
    const [begin, end] = [report.inputBegin[by], report.inputBegin[by + 1]];
    return Array.from(report.inputTensor.subarray(begin, end)).filter((_, i) => report.input[begin + i] === from);
  }

  private inputs(op: number): Neighbour[] {
    const { report } = this.store;
    const from = new Set(report.input.subarray(report.inputBegin[op], report.inputBegin[op + 1]));
    return [...from].map((other) => this.neighbour(other, this.taken(other, op))).sort((a, b) => b.bytes - a.bytes);
  }

  private users(op: number): Neighbour[] {
    const { report } = this.store;
    const by = new Set(report.user.subarray(report.userBegin[op], report.userBegin[op + 1]));
    return [...by].map((other) => this.neighbour(other, this.taken(op, other)));
  }

  private reasons(op: number): HTMLElement {
    const { report, plan } = this.store;
    const here = plan.device[op];
    const name = report.devices[here].name;
    const reasons: string[] = [];
    const allowed = report.allowed[report.allowedOf[op]];
    if (allowed.length === 1) {
      reasons.push(
        report.role[op] === 4
          ? `It is an input, and inputs come from ${name} unless constraints say otherwise.`
          : `${name} is the only device it may be on: its kind, its times or a constraint leave no other.`,
      );
    } else if (allowed.length < report.devices.length) {
      reasons.push(`It may only be on ${allowed.map((d) => report.devices[d].name).join(", ")}.`);
    }
    const companions = (report.unitSize.get(report.unit[op]) ?? 1) - 1;
    if (companions > 0) reasons.push(`It must share its device with ${plural(companions, "other op")}.`);
    const inputs = this.inputs(op),
      users = this.users(op);
    if (inputs.length > 0) {
      const near = inputs.filter((i) => plan.device[i.op] === here).length;
      const far = inputs.filter((i) => plan.device[i.op] !== here).reduce((sum, i) => sum + i.bytes, 0);
      const sent = far > 0 ? `; ${bytes(far)} must be sent to it.` : ", so nothing has to be sent to it.";
      reasons.push(`${quantity(near, inputs.length, "input")} ${near === 1 ? "is" : "are"} made on ${name}${sent}`);
    }
    if (users.length > 0) {
      const near = users.filter((u) => plan.device[u.op] === here).length;
      reasons.push(`${quantity(near, users.length, "user")} ${near === 1 ? "is" : "are"} on ${name}.`);
    }
    const times = allowed.map((d) => report.times[report.devices[d].class][op]);
    const least = Math.min(...times),
      own = report.times[report.devices[here].class][op];
    if (own > 0 && own <= least * 1.001 && Math.max(...times) > least * 1.1)
      reasons.push(`No device runs it faster (${seconds(own)}).`);
    if (own > least * 1.1)
      reasons.push(
        `Another device would run it ${(own / least).toFixed(1)}\u00d7 as fast, but its inputs would have to be sent.`,
      );
    return el("ul", {}, ...reasons.map((text) => el("li", {}, text)));
  }

  // What the step would take with the op elsewhere: simulated by Berth for the weightiest ops of the critical path, or of
  // the device that sets the pace.
  private alternatives(op: number): HTMLElement | string {
    const { report, plan } = this.store;
    const moves = plan.moves.find((move) => report.unit[move.op] === report.unit[op]);
    if (!moves && plan.pipeline) return ""; // berth explain follows a timeline
    if (!moves) {
      return el(
        "p",
        { class: "hint" },
        "What another device would cost: ",
        el("code", {}, `berth explain GRAPH --machine ${report.machine.name} --plan PLAN --op '${report.names[op]}'`),
      );
    }
    return el(
      "table",
      { class: "moves" },
      el("caption", {}, `The ${valueName(report)} with it elsewhere, and weights that only it reads`),
      el(
        "tbody",
        {},
        ...moves.to.map(([device, step, fits]) => {
          const change = step / plan.step_s - 1;
          const changed = plan.feasible ? `${change >= 0 ? "+" : "\u2212"}${percent(Math.abs(change))}` : "fits";
          return el(
            "tr",
            {},
            el("td", {}, this.swatch(device)),
            el("td", { class: "number" }, fits ? seconds(step) : ""),
            el("td", { class: "number" }, fits ? changed : "out of memory"),
          );
        }),
      ),
    );
  }

  private neighbours(all: Neighbour[]): HTMLElement {
    const { report, plan } = this.store;
    if (all.length === 0) return el("p", { class: "hint" }, "none");
    const list = el(
      "ul",
      { class: "neighbours" },
      ...all
        .slice(0, MOST_NEIGHBOURS)
        .map((n) =>
          el(
            "li",
            {},
            this.swatch(plan.device[n.op]),
            el("button", { type: "button", class: "link", onclick: () => this.store.select(n.op) }, report.names[n.op]),
            el("small", {}, bytes(n.bytes)),
            el("span", { class: "forms" }, ...n.tensors.map((tensor) => this.form(tensor))),
          ),
        ),
    );
    if (all.length > MOST_NEIGHBOURS)
      list.append(el("li", { class: "hint" }, `and ${grouped(all.length - MOST_NEIGHBOURS)} more`));
    return list;
  }
}

// "Its only input", "All 3 inputs", "2 of its 3 inputs".
function quantity(part: number, all: number, what: string): string {
  if (all === 1) return part === 1 ? `Its only ${what}` : `None of its ${what}s`;
  return part === all ? `All its ${plural(all, what)}` : `${grouped(part)} of its ${plural(all, what)}`;
}
