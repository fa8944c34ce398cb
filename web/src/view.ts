// SPDX-License-Identifier: Apache-2.0
// View: a canvas one can zoom and move, by mouse, touch pad and keys. It knows nothing of what is drawn: it keeps the
// visible part of a world of x (and y, if that moves too) and asks to be drawn when it changes.
import { el } from "./dom";
import { hideTip, showTip } from "./tip";

export interface Span {
  from: number;
  to: number;
}

export interface ViewOptions {
  label: string; // what a screen reader says
  world: { x: Span; y: Span }; // what there is to see
  closest: { x: number; y: number }; // least span that can be zoomed to
  movesY: boolean;
  gutter: number; // pixels at the left that do not move
  height: number; // in pixels
  draw(context: CanvasRenderingContext2D, view: View): void;
  at(x: number, y: number, view: View): Node | null; // what the tip says about a pixel
  click(x: number, y: number, view: View): void;
}

const ZOOM_STEP = 1.35;

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  x: Span;
  y: Span;
  width = 0;
  height: number;
  private waiting = false;
  private grabbed: { x: number; y: number; moved: boolean } | null = null;

  constructor(readonly options: ViewOptions) {
    this.x = { ...options.world.x };
    this.y = { ...options.world.y };
    this.height = options.height;
    this.canvas = el("canvas", {
      tabindex: 0,
      role: "application",
      "aria-label": options.label,
      "aria-describedby": "keys",
    });
    this.element = el("div", { class: "view" }, this.canvas);
    new ResizeObserver(() => this.redraw()).observe(this.element);
    window.addEventListener("beforeprint", () => this.draw()); // at once: paper has no next frame
    this.listen();
  }

  get plotWidth(): number {
    return Math.max(1, this.width - this.options.gutter);
  }
  px(x: number): number {
    return this.options.gutter + ((x - this.x.from) / (this.x.to - this.x.from)) * this.plotWidth;
  }
  py(y: number): number {
    return ((y - this.y.from) / (this.y.to - this.y.from)) * this.height;
  }
  worldX(px: number): number {
    return this.x.from + ((px - this.options.gutter) / this.plotWidth) * (this.x.to - this.x.from);
  }
  worldY(py: number): number {
    return this.y.from + (py / this.height) * (this.y.to - this.y.from);
  }

  setWorld(x: Span, y: Span): void {
    this.options.world = { x: { ...x }, y: { ...y } };
    this.x = { ...x };
    this.y = { ...y };
    this.redraw();
  }

  setHeight(height: number): void {
    this.height = height;
    this.redraw();
  }

  redraw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const scale = window.devicePixelRatio || 1;
    this.width = this.element.clientWidth;
    if (this.width === 0) return;
    this.canvas.style.height = `${this.height}px`;
    const [w, h] = [Math.round(this.width * scale), Math.round(this.height * scale)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    const context = this.canvas.getContext("2d")!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.options.draw(context, this);
  }

  private static clamped(span: Span, world: Span): Span {
    const size = Math.min(span.to - span.from, world.to - world.from);
    const from = Math.min(Math.max(span.from, world.from), world.to - size);
    return { from, to: from + size };
  }

  show(x: Span, y: Span = this.y): void {
    this.x = View.clamped(x, this.options.world.x);
    if (this.options.movesY) this.y = View.clamped(y, this.options.world.y);
    this.redraw();
  }

  reset(): void {
    this.show(this.options.world.x, this.options.world.y);
  }

  // Zooms by a factor; the given pixel stays where it is.
  zoom(factor: number, px = this.options.gutter + this.plotWidth / 2, py = this.height / 2): void {
    const around = (span: Span, at: number, least: number, world: Span): Span => {
      const most = world.to - world.from;
      const size = Math.min(most, Math.max(Math.min(least, most), (span.to - span.from) / factor));
      const share = (at - span.from) / (span.to - span.from);
      return { from: at - share * size, to: at + (1 - share) * size };
    };
    const { world, closest } = this.options;
    this.show(around(this.x, this.worldX(px), closest.x, world.x), around(this.y, this.worldY(py), closest.y, world.y));
  }

  pan(sharesX: number, sharesY: number): void {
    const [dx, dy] = [sharesX * (this.x.to - this.x.from), sharesY * (this.y.to - this.y.from)];
    this.show({ from: this.x.from + dx, to: this.x.to + dx }, { from: this.y.from + dy, to: this.y.to + dy });
  }

  // The smallest move that brings a place into view.
  reveal(x: number, y: number, spanX: number, spanY: number): void {
    this.show({ from: x - spanX / 2, to: x + spanX / 2 }, { from: y - spanY / 2, to: y + spanY / 2 });
  }

  private place(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private listen(): void {
    const canvas = this.canvas;
    canvas.addEventListener(
      "wheel",
      (event) => {
        // Without the focus the wheel scrolls the page, as a reader expects; pinching always zooms.
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.pan(event.deltaX / this.plotWidth, 0);
        this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), ...this.place(event));
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = this.place(event);
      this.grabbed = { x, y, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    canvas.addEventListener("pointerup", (event) => {
      if (this.grabbed && !this.grabbed.moved) this.options.click(...this.place(event), this);
      this.grabbed = null;
    });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", (event) => this.zoom(3, ...this.place(event)));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private pointerMoved(event: PointerEvent): void {
    const [x, y] = this.place(event);
    if (this.grabbed) {
      if (!this.grabbed.moved && Math.hypot(x - this.grabbed.x, y - this.grabbed.y) < 4) return;
      this.pan((this.grabbed.x - x) / this.plotWidth, (this.grabbed.y - y) / this.height);
      this.grabbed = { x, y, moved: true };
      hideTip();
      return;
    }
    const text = this.options.at(x, y, this);
    this.canvas.style.cursor = text ? "pointer" : "grab";
    if (text) showTip(text, event.clientX, event.clientY);
    else hideTip();
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.pan(-0.15, 0),
      ArrowRight: () => this.pan(0.15, 0),
      ArrowUp: () => this.pan(0, -0.15),
      ArrowDown: () => this.pan(0, 0.15),
      "+": () => this.zoom(ZOOM_STEP),
      "=": () => this.zoom(ZOOM_STEP),
      "-": () => this.zoom(1 / ZOOM_STEP),
      "0": () => this.reset(),
      Home: () => this.reset(),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  }
}

export function zoomButtons(view: View): HTMLElement[] {
  const button = (text: string, label: string, action: () => void) =>
    el("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: action }, text);
  return [
    button("\u2212", "Zoom out", () => view.zoom(1 / ZOOM_STEP / ZOOM_STEP)),
    button("+", "Zoom in", () => view.zoom(ZOOM_STEP * ZOOM_STEP)),
    button("Fit", "Show everything", () => view.reset()),
  ];
}
