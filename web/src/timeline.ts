// SPDX-License-Identifier: Apache-2.0
// The step over time: what every device and link does, and how full every memory is, on one axis.
import { axisLabel, niceStep } from "./axis";
import { card, toggle } from "./dom";
import { drawEvents, nearest, visible } from "./events";
import { bytes, instant, percent, plural, seconds } from "./format";
import { IS_TRANSFER } from "./data";
import { timelineLegend } from "./legend";
import { drawMemory, memoryAt } from "./memory";
import { rowsOf, type Row, type Rows } from "./rows";
import type { Store } from "./store";
import { lastWord, linesInBox, readable, shortened } from "./text";
import { deviceColours, ink, type Ink } from "./theme";
import { tipOf } from "./tip";
import { View, zoomButtons } from "./view";

const GUTTER = 148;
const MOST_ARCS = 300,
  MOST_JUMPS = 40; // of the critical path from device to device, drawn in full strength

export class TimelineView {
  readonly element: HTMLElement;
  readonly view: View;
  private rows!: Rows;
  private critical = true;
  private arcs = true;
  private everyLink = false;
  private linkButton = toggle("", false, (on) => {
    this.everyLink = on;
    this.layOut();
  });
  private bySize!: Uint32Array; // transfers, the largest first

  constructor(private store: Store) {
    const plan = store.plan;
    this.view = new View({
      label: "Timeline of devices and links, with the memory of every device below",
      world: { x: { from: 0, to: plan.stepTicks }, y: { from: 0, to: 1 } },
      closest: { x: 20, y: 1 },
      movesY: false,
      gutter: GUTTER,
      height: 300,
      draw: (context) => this.draw(context),
      at: (x, y) => this.tip(x, y),
      click: (x, y) => this.click(x, y),
    });
    this.element = card(
      "timeline",
      "Timeline and memory",
      "The critical path in full colour, transfers as arcs",
      [
        this.linkButton,
        toggle("Critical path", true, (on) => {
          this.critical = on;
          this.view.redraw();
        }),
        toggle("Transfers", true, (on) => {
          this.arcs = on;
          this.view.redraw();
        }),
        ...zoomButtons(this.view),
      ],
      this.view.element,
      timelineLegend(store),
    );
    this.takePlan();
    store.onChange((change) => {
      if (change === "plan") this.takePlan();
      if (change === "op" && store.op !== null) this.reveal(store.op);
      this.view.redraw();
    });
  }

  private takePlan(): void {
    const { plan } = this.store;
    const sent = Array.from(plan.sentStart.keys());
    this.bySize = Uint32Array.from(sent.sort((a, b) => plan.sentBytes[b] - plan.sentBytes[a]));
    this.view.setWorld({ from: 0, to: plan.stepTicks }, { from: 0, to: 1 });
    this.layOut();
  }

  private layOut(): void {
    const { plan, report } = this.store;
    this.rows = rowsOf(report, plan, this.everyLink);
    this.linkButton.textContent = `All ${plural(this.rows.links, "link")}`;
    this.linkButton.hidden = !this.rows.areMany;
    this.view.setHeight(this.rows.height);
  }

  private reveal(op: number): void {
    const { plan } = this.store;
    const x = plan.start[plan.leader.get(op) ?? op];
    if (x < this.view.x.from || x > this.view.x.to) this.view.reveal(x, 0, this.view.x.to - this.view.x.from, 1);
  }

  private row(kind: Row["kind"], item: number): Row {
    return this.rows.all.find((row) => row.kind === kind && row.item === item)!;
  }

  private draw(context: CanvasRenderingContext2D): void {
    const theme = ink();
    const {
      view,
      store: { plan },
    } = this;
    this.drawAxis(context, theme);
    this.drawLabels(context, theme);
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, view.plotWidth, view.height);
    context.clip();
    for (const row of this.rows.all) {
      if (row.kind === "device") this.drawDevice(context, row, theme);
      if (row.kind === "link") this.drawLink(context, row);
      if (row.kind === "idle") this.drawIdle(context, row, theme);
      if (row.kind === "memory") drawMemory(context, this.store, plan, row, view, theme);
    }
    if (this.arcs) this.drawArcs(context, theme);
    if (this.critical) this.drawPath(context, theme);
    if (this.store.op !== null) this.drawChosen(context, this.store.op, theme);
    context.restore();
  }

  private drawAxis(context: CanvasRenderingContext2D, theme: Ink): void {
    const {
      view,
      store: { plan },
    } = this;
    const span = (view.x.to - view.x.from) * plan.tick_s;
    const step = niceStep(span / Math.max(2, view.plotWidth / 110));
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (
      let t = Math.ceil((view.x.from * plan.tick_s) / step) * step;
      t <= view.x.to * plan.tick_s * 1.0000001;
      t += step
    ) {
      const x = Math.round(view.px(t / plan.tick_s)) + 0.5;
      context.strokeStyle = theme.line;
      context.beginPath();
      context.moveTo(x, 8);
      context.lineTo(x, view.height);
      context.stroke();
      const label = axisLabel(t, step);
      if (x + 4 + context.measureText(label).width > view.width) continue;
      context.fillStyle = theme.muted;
      context.fillText(label, x + 4, 12);
    }
  }

  private drawLabels(context: CanvasRenderingContext2D, theme: Ink): void {
    const { plan, report } = this.store;
    context.textBaseline = "middle";
    for (const row of this.rows.all) {
      const y = row.top + row.height / 2;
      if (row.kind === "heading") {
        context.font = "600 11px system-ui, sans-serif";
        context.fillStyle = theme.muted;
        context.textAlign = "right";
        context.fillText(row.label, GUTTER - 12, y + 4);
        continue;
      }
      const small = row.kind === "link" || row.kind === "idle";
      context.font = `${small ? 11 : 12}px system-ui, sans-serif`;
      context.fillStyle = small ? theme.muted : theme.text;
      context.textAlign = "right";
      const two = row.kind === "memory";
      context.fillText(shortened(context, row.label, GUTTER - 24), GUTTER - 12, two ? y - 8 : y);
      if (!two) continue;
      const capacity = report.devices[row.item].capacity;
      const peak = plan.devices[row.item].peak;
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = capacity !== null && peak > capacity ? theme.alarm : theme.muted;
      context.fillText(`${bytes(peak)}${capacity === null ? "" : ` of ${bytes(capacity)}`}`, GUTTER - 12, y + 8);
    }
  }

  // Ops that are wider than a pixel are boxes; the others add up to how much of a pixel is busy.
  private drawDevice(context: CanvasRenderingContext2D, row: Row, theme: Ink): void {
    const {
      view,
      store: { plan, report, colours, found },
    } = this;
    const lanes = Math.min(report.devices[row.item].lanes, 6);
    const height = row.height / lanes;
    context.fillStyle = theme.faint;
    context.fillRect(GUTTER, row.top, view.plotWidth, row.height);
    const lit = (op: number) => (found ? found[op] === 1 : !this.critical || plan.onPath[op] === 1);
    drawEvents(
      context,
      plan.byStart[row.item],
      plan.start,
      plan.duration,
      view,
      (op) => lit(op),
      (op) => colours.palette[colours.of[op]],
      (op) => row.top + Math.min(plan.lane[op], lanes - 1) * height,
      height,
    );
    context.font = "11px ui-monospace, monospace";
    context.textAlign = "left";
    for (const op of visible(plan.byStart[row.item], plan.start, view)) {
      const w = (plan.duration[op] / (view.x.to - view.x.from)) * view.plotWidth;
      if (w < 50) continue;
      context.fillStyle = lit(op) ? readable(colours.palette[colours.of[op]]) : theme.text;
      const x = Math.max(view.px(plan.start[op]), GUTTER);
      const y = row.top + Math.min(plan.lane[op], lanes - 1) * height;
      const facts = [seconds(plan.duration[op] * plan.tick_s)];
      linesInBox(context, lastWord(report.names[op]), facts, [x, y, view.px(plan.start[op]) + w - x, height]);
    }
  }

  private drawLink(context: CanvasRenderingContext2D, row: Row): void {
    const {
      view,
      store: { plan, report },
    } = this;
    const colours = deviceColours(report);
    drawEvents(
      context,
      this.rows.sent[row.item],
      plan.sentStart,
      plan.sentDuration,
      view,
      () => true,
      (i) => colours[plan.sentFrom[i]],
      () => row.top + 2,
      row.height - 4,
    );
  }

  private drawIdle(context: CanvasRenderingContext2D, row: Row, theme: Ink): void {
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = theme.muted;
    const names = shortened(context, this.rows.idle.join(", "), this.view.plotWidth - 8);
    context.fillText(names, GUTTER + 4, row.top + row.height / 2);
  }

  private drawArcs(context: CanvasRenderingContext2D, theme: Ink): void {
    const {
      view,
      store: { plan },
    } = this;
    context.strokeStyle = theme.text;
    context.lineWidth = 1;
    let drawn = 0;
    for (const i of this.bySize) {
      const end = plan.sentStart[i] + plan.sentDuration[i];
      if (end < view.x.from || plan.sentStart[i] > view.x.to) continue;
      if (++drawn > MOST_ARCS) break;
      const a = this.row("device", plan.sentFrom[i]),
        b = this.row("device", plan.sentTo[i]);
      const [x0, x1, y0, y1] = [view.px(plan.sentStart[i]), view.px(end), a.top + a.height / 2, b.top + b.height / 2];
      context.globalAlpha = 0.13;
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + Math.max(3, (x1 - x0) / 2), y0, x1 - Math.max(3, (x1 - x0) / 2), y1, x1, y1);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // A thin line that leads from piece to piece of the critical path.
  private drawPath(context: CanvasRenderingContext2D, theme: Ink): void {
    const {
      view,
      store: { plan },
    } = this;
    context.strokeStyle = theme.critical;
    context.lineWidth = 1.5;
    context.beginPath();
    let lastX = NaN,
      lastY = NaN,
      jumps = 0;
    for (const item of plan.steps) {
      if (item >= IS_TRANSFER) continue;
      const [start, end] = [plan.start[item], plan.start[item] + plan.duration[item]];
      if (end < view.x.from || start > view.x.to) continue;
      const row = this.row("device", plan.device[item]);
      const [x0, x1, y] = [view.px(start), view.px(end), row.top + row.height - 1];
      if (Number.isNaN(lastX)) context.moveTo(x0, y);
      if (y !== lastY && ++jumps > 1) context.lineTo(x0, y);
      context.lineTo(x1, y);
      [lastX, lastY] = [x1, y];
    }
    // A path that jumps all the time must not black out the rows.
    context.globalAlpha = Math.max(0.25, Math.min(1, MOST_JUMPS / jumps));
    context.stroke();
    context.globalAlpha = 1;
  }

  private drawChosen(context: CanvasRenderingContext2D, op: number, theme: Ink): void {
    const {
      view,
      store: { plan },
    } = this;
    const at = plan.leader.get(op) ?? op;
    const row = this.row("device", plan.device[at]);
    const x = view.px(plan.start[at]),
      w = Math.max(2, view.px(plan.start[at] + plan.duration[at]) - x);
    context.strokeStyle = theme.text;
    context.lineWidth = 2;
    context.strokeRect(x - 1, row.top - 1, w + 2, row.height + 2);
  }

  private opAt(row: Row, px: number): number | null {
    const {
      view,
      store: { plan },
    } = this;
    return nearest(plan.byStart[row.item], plan.start, plan.duration, view, px);
  }

  private tip(px: number, py: number): Node | null {
    const {
      view,
      store: { plan, report },
    } = this;
    const row = this.rows.all.find((r) => py >= r.top && py < r.top + r.height);
    if (!row || px < GUTTER) return null;
    if (row.kind === "device") {
      const op = this.opAt(row, px);
      if (op === null) return null;
      return tipOf(
        report.names[op],
        `${report.types[report.type[op]]} on ${row.label}, ${seconds(plan.duration[op] * plan.tick_s)}`,
        `from ${instant(plan.start[op] * plan.tick_s)}`,
        plan.onPath[op] === 1 && "on the critical path",
      );
    }
    if (row.kind === "link") {
      const i = nearest(this.rows.sent[row.item], plan.sentStart, plan.sentDuration, view, px);
      if (i === null) return null;
      return tipOf(
        `${bytes(plan.sentBytes[i])} of ${report.names[plan.sentOp[i]]}`,
        `${report.devices[plan.sentFrom[i]].name} to ${report.devices[plan.sentTo[i]].name}`,
        `by ${report.channels[plan.sentChannel[i]].name}`,
        `${seconds(plan.sentDuration[i] * plan.tick_s)} from ${seconds(plan.sentStart[i] * plan.tick_s)}`,
      );
    }
    if (row.kind !== "memory") return null;
    const held = memoryAt(plan, row.item, view.worldX(px));
    const capacity = report.devices[row.item].capacity;
    return tipOf(
      `${row.label}: ${bytes(held)}`,
      `at ${seconds(view.worldX(px) * plan.tick_s)}`,
      capacity !== null && `${percent(held / capacity)} of ${bytes(capacity)}`,
    );
  }

  private click(px: number, py: number): void {
    const row = this.rows.all.find((r) => py >= r.top && py < r.top + r.height);
    if (!row) return;
    if (px < GUTTER) {
      if (row.kind === "link" && this.rows.areMany) this.linkButton.click();
      return;
    }
    if (row.kind === "device") this.store.select(this.opAt(row, px));
    if (row.kind !== "link") return;
    const { plan } = this.store;
    const i = nearest(this.rows.sent[row.item], plan.sentStart, plan.sentDuration, this.view, px);
    if (i !== null) this.store.select(plan.sentOp[i]);
  }
}
