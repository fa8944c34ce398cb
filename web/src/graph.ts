// SPDX-License-Identifier: Apache-2.0
// The graph: a box per op, where C++ has laid it out. Far away boxes are painted as pixels into one image, which takes
// milliseconds for 100,000 ops; near by they get frames, names and edges.
import { card, toggle } from "./dom";
import { EdgeScale, paintEdges } from "./edges";
import { bytes, count, plural, seconds } from "./format";
import { edgeLegend } from "./legend";
import type { Store } from "./store";
import { labelsOf, lastWord, linesInBox, readable } from "./text";
import { ink, rgb, type Ink } from "./theme";
import { tipOf } from "./tip";
import { View, zoomButtons } from "./view";

const GUTTER = 148,
  HEIGHT = 440;
const MOST_BOXES = 5000; // more than these are painted as pixels
const MOST_EDGES = 1500; // with more boxes than these, only the chosen op shows its edges
const NAME_WIDTH = 46; // pixels that a box needs to carry its name

export class GraphView {
  readonly element: HTMLElement;
  readonly view: View;
  private critical = false;
  private weights = true;
  private scale: EdgeScale;
  private image = document.createElement("canvas");

  constructor(private store: Store) {
    const { report } = store;
    this.scale = new EdgeScale(report);
    this.view = new View({
      label: `Graph of ${plural(report.ops, "op")}, one band per part of the model, coloured by device`,
      world: { x: { from: 0, to: report.columnX[report.columns] }, y: { from: -0.4, to: report.rows + 0.4 } },
      closest: { x: (6 * report.columnX[report.columns]) / report.columns, y: 5 },
      movesY: true,
      gutter: GUTTER,
      height: HEIGHT,
      draw: (context) => this.draw(context),
      at: (x, y) => this.tip(x, y),
      click: (x, y) => this.click(x, y),
    });
    this.element = card(
      "graph",
      "Graph",
      "One band per part of the model, from what comes first to what comes last",
      [
        report.objective === "step" && toggle("Critical path", false, (on) => this.set({ critical: on })),
        toggle("Weights", true, (on) => this.set({ weights: on })),
        ...zoomButtons(this.view),
      ],
      this.view.element,
      edgeLegend(this.scale),
    );
    store.onChange((change) => {
      if (change === "op" && store.op !== null) this.reveal(store.op);
      this.view.redraw();
    });
  }

  private set(changed: { critical?: boolean; weights?: boolean }): void {
    Object.assign(this, changed);
    this.view.redraw();
  }

  private left(op: number): number {
    return this.store.report.columnX[this.store.report.column[op]];
  }

  // Boxes leave a gap to the next column.
  private right(op: number): number {
    const { columnX, column } = this.store.report;
    return columnX[column[op]] + 0.86 * (columnX[column[op] + 1] - columnX[column[op]]);
  }

  private middle(op: number): [number, number] {
    const { report } = this.store;
    return [(this.left(op) + this.right(op)) / 2, report.top[op] + report.height[op] / 2];
  }

  private reveal(op: number): void {
    const [x, y] = this.middle(op);
    const { view } = this;
    if (x >= view.x.from && x <= view.x.to && y >= view.y.from && y <= view.y.to) return;
    view.reveal(x, y, view.x.to - view.x.from, view.y.to - view.y.from);
  }

  zoomTo(op: number): void {
    const [x, y] = this.middle(op);
    this.view.reveal(x, y, 9 * (this.right(op) - this.left(op)), 8); // so near that boxes have room for facts
  }

  private visibleColumns(): [number, number] {
    return [this.columnAt(this.view.x.from), this.columnAt(this.view.x.to)];
  }

  // The column that a place lies in.
  private columnAt(x: number): number {
    const { columnX, columns } = this.store.report;
    let [low, high] = [0, columns - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (columnX[middle] <= x) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private faded(op: number): boolean {
    const { found, plan } = this.store;
    if (found) return !found[op];
    return this.critical && !plan.onPath[op];
  }

  private draw(context: CanvasRenderingContext2D): void {
    const { report } = this.store;
    const theme = ink();
    this.drawBands(context, theme);
    const [first, last] = this.visibleColumns();
    const ops = report.byColumn.subarray(report.columnBegin[first], report.columnBegin[last + 1]);
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.view.plotWidth, this.view.height);
    context.clip();
    const visible: number[] = [];
    for (const op of ops) {
      const bottom = report.top[op] + report.height[op];
      if (bottom >= this.view.y.from && report.top[op] <= this.view.y.to) visible.push(op);
      if (visible.length > MOST_BOXES) break;
    }
    if (visible.length === 0) this.sayEmpty(context, theme);
    if (visible.length > MOST_BOXES) this.paintPixels(context, ops);
    else this.paintBoxes(context, visible, theme);
    if (this.store.op !== null) this.paintChosen(context, this.store.op, theme);
    context.restore();
  }

  private sayEmpty(context: CanvasRenderingContext2D, theme: Ink): void {
    context.fillStyle = theme.muted;
    context.textAlign = "center";
    context.fillText("no op is here; Fit shows all of them", GUTTER + this.view.plotWidth / 2, this.view.height / 2);
  }

  private drawBands(context: CanvasRenderingContext2D, theme: Ink): void {
    const {
      view,
      store: { report },
    } = this;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const labels = labelsOf(
      context,
      report.lanes.map((lane) => lane.name || "other"),
      GUTTER - 20,
    );
    let free = -Infinity; // labels must not overlap
    report.lanes.forEach((lane, i) => {
      const [top, bottom] = [view.py(lane.top - 0.3), view.py(lane.top + lane.height + 0.3)];
      if (bottom < 0 || top > view.height) return;
      if (i % 2 === 0) {
        context.fillStyle = theme.faint;
        context.fillRect(GUTTER, top, view.plotWidth, bottom - top);
      }
      const middle = (Math.max(0, top) + Math.min(view.height, bottom)) / 2;
      if (middle < free) return;
      free = middle + 13;
      context.fillStyle = theme.muted;
      context.textAlign = "right";
      context.fillText(labels[i], GUTTER - 10, middle);
    });
  }

  private palettes(): { full: Uint32Array; faint: Uint32Array } {
    const back = rgb(hex(ink().surface));
    const packed = (c: number[]) =>
      ((255 << 24) | (Math.round(c[2]) << 16) | (Math.round(c[1]) << 8) | Math.round(c[0])) >>> 0;
    const colours = this.store.colours.palette.map(rgb);
    return {
      full: Uint32Array.from(colours, packed),
      faint: Uint32Array.from(colours, (c) => packed(c.map((v, i) => back[i] + (v - back[i]) * 0.16))),
    };
  }

  private paintPixels(context: CanvasRenderingContext2D, ops: Uint32Array): void {
    const {
      view,
      store: { report, colours },
    } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(view.plotWidth * scale), Math.round(view.height * scale)];
    const pixels = new ImageData(width, height);
    const words = new Uint32Array(pixels.data.buffer);
    const { full, faint } = this.palettes();
    const sx = width / (view.x.to - view.x.from),
      sy = height / (view.y.to - view.y.from);
    const fades = this.critical || this.store.found !== null;
    for (let pass = fades ? 0 : 1; pass < 2; ++pass) {
      // what is lit comes last, so that nothing hides it
      for (const op of ops) {
        if (fades && this.faded(op) !== (pass === 0)) continue;
        const x0 = Math.max(0, Math.floor((this.left(op) - view.x.from) * sx));
        const x1 = Math.min(width, Math.max(x0 + 1, Math.floor((this.right(op) - view.x.from) * sx)));
        const y0 = Math.max(0, Math.floor((report.top[op] - view.y.from) * sy));
        const y1 = Math.min(
          height,
          Math.max(y0 + 1, Math.floor((report.top[op] + report.height[op] * 0.9 - view.y.from) * sy)),
        );
        const colour = pass === 0 ? faint[colours.of[op]] : full[colours.of[op]];
        for (let y = y0; y < y1; ++y) words.fill(colour, y * width + x0, y * width + x1);
      }
    }
    if (this.image.width !== width || this.image.height !== height)
      [this.image.width, this.image.height] = [width, height];
    this.image.getContext("2d")!.putImageData(pixels, 0, 0);
    context.drawImage(this.image, GUTTER, 0, view.plotWidth, view.height);
  }

  private box(op: number): [number, number, number, number] {
    const {
      view,
      store: { report },
    } = this;
    const x = view.px(this.left(op)),
      y = view.py(report.top[op]);
    return [
      x,
      y,
      Math.max(1, view.px(this.right(op)) - x),
      Math.max(1, view.py(report.top[op] + report.height[op] * 0.9) - y),
    ];
  }

  private paintBoxes(context: CanvasRenderingContext2D, ops: number[], theme: Ink): void {
    const { report, plan, colours } = this.store;
    if (ops.length <= MOST_EDGES) {
      paintEdges(context, report, plan.device, this.scale, ops, theme, this.weights, (from, to) =>
        this.curve(context, from, to),
      );
    }
    context.font = "11px ui-monospace, monospace";
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const op of ops) {
      const [x, y, w, h] = this.box(op);
      const colour = colours.palette[colours.of[op]];
      context.globalAlpha = this.faded(op) ? 0.16 : 1;
      context.fillStyle = colour;
      context.beginPath();
      if (w > 8 && h > 8) context.roundRect(x, y, w, h, Math.min(4, h / 4));
      else context.rect(x, y, w, h);
      context.fill();
      if (w < NAME_WIDTH || h < 12) continue;
      context.fillStyle = readable(colour);
      linesInBox(context, lastWord(report.names[op]), h < 30 ? [] : this.facts(op), [x, y, w, h]);
    }
    context.globalAlpha = 1;
  }

  // What a box says when it is near: where it runs and what it is, its time and bytes, the shape of what it makes.
  private facts(op: number): string[] {
    const { report, plan } = this.store;
    const took = plan.duration[op] * plan.tick_s;
    const [first, end] = [report.outputBegin[op], report.outputBegin[op + 1]];
    const size = report.tensorBytes.subarray(first, end).reduce((sum, one) => sum + one, 0);
    const facts = [
      `${report.devices[plan.device[op]].name} \u00b7 ${report.types[report.type[op]]}`,
      took > 0 ? `${seconds(took)} \u00b7 ${bytes(size)}` : bytes(size),
    ];
    for (let tensor = first; tensor < end; ++tensor) facts.push(report.forms[report.tensorForm[tensor]]);
    return facts;
  }

  private curve(context: CanvasRenderingContext2D, from: number, to: number): void {
    const a = this.box(from),
      b = this.box(to);
    const [x0, y0, x1, y1] = [a[0] + a[2], a[1] + a[3] / 2, b[0], b[1] + b[3] / 2];
    const bend = Math.max(12, Math.abs(x1 - x0) / 2);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    context.stroke();
  }

  private paintChosen(context: CanvasRenderingContext2D, op: number, theme: Ink): void {
    const { report } = this.store;
    context.strokeStyle = theme.text;
    context.lineWidth = 1.2;
    context.globalAlpha = 0.7;
    for (let edge = report.inputBegin[op]; edge < report.inputBegin[op + 1]; ++edge)
      this.curve(context, report.input[edge], op);
    for (
      let edge = report.userBegin[op];
      edge < Math.min(report.userBegin[op + 1], report.userBegin[op] + 200);
      ++edge
    ) {
      this.curve(context, op, report.user[edge]);
    }
    context.globalAlpha = 1;
    const [x, y, w, h] = this.box(op);
    context.lineWidth = 2;
    context.strokeStyle = theme.surface;
    context.strokeRect(x - 2, y - 2, w + 4, h + 4);
    context.strokeStyle = theme.text;
    context.strokeRect(x - 4, y - 4, w + 8, h + 8);
  }

  // The op under a pixel, or a few pixels from it where boxes are tiny.
  private opAt(px: number, py: number): number | null {
    if (px < GUTTER) return null;
    const {
      view,
      store: { report },
    } = this;
    const x = view.worldX(px),
      y = view.worldY(py);
    const nearX = (2 * (view.x.to - view.x.from)) / view.plotWidth,
      nearY = (2 * (view.y.to - view.y.from)) / view.height;
    let best: number | null = null,
      least = Infinity;
    const from = this.columnAt(x - nearX),
      to = this.columnAt(x + nearX);
    for (let i = report.columnBegin[from] ?? 0; i < (report.columnBegin[to + 1] ?? 0); ++i) {
      const op = report.byColumn[i];
      const dx = Math.max(0, this.left(op) - x, x - this.right(op));
      const dy = Math.max(0, report.top[op] - y, y - report.top[op] - report.height[op]);
      if (dx > nearX || dy > nearY) continue;
      const distance = dx / nearX + dy / nearY;
      if (distance < least) [best, least] = [op, distance];
    }
    return best;
  }

  private tip(x: number, y: number): Node | null {
    const op = this.opAt(x, y);
    if (op === null) return null;
    const { report, plan } = this.store;
    const took = plan.duration[op] * plan.tick_s;
    return tipOf(
      report.names[op],
      `${report.types[report.type[op]]} on ${report.devices[plan.device[op]].name}`,
      took > 0 && `${seconds(took)}${report.flopsOf[op] > 0 ? `, ${count(report.flopsOf[op])}FLOP` : ""}`,
      plan.onPath[op] === 1 && "on the critical path",
    );
  }

  private click(x: number, y: number): void {
    const op = this.opAt(x, y);
    if (op !== null) return this.store.select(op);
    if (x >= GUTTER) return this.store.select(null);
    const { report } = this.store;
    const lane = report.lanes.find((l) => this.view.worldY(y) < l.top + l.height + 0.3);
    if (lane) this.view.show(this.view.x, { from: lane.top - 0.4, to: lane.top + lane.height + 0.4 });
  }
}

function hex(colour: string): string {
  return colour.startsWith("#") && colour.length === 7 ? colour : "#ffffff";
}
