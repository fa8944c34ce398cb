// SPDX-License-Identifier: Apache-2.0
// How the search came to its plan: the best step time so far, over the time it took.
import { axisLabel, niceStep } from "./axis";
import { card, el, svg } from "./dom";
import { plural, seconds } from "./format";
import type { Store } from "./store";
import { valueName } from "./words";

const W = 560,
  H = 230,
  LEFT = 58,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 30;

export class Convergence {
  private body = el("div", {});
  readonly element = card("search", "Search", "The best plan so far, and the lower bound", [], this.body);

  constructor(private store: Store) {
    this.fill();
    store.onChange((change) => {
      if (change === "plan") this.fill();
    });
  }

  private fill(): void {
    const { plan } = this.store;
    this.element.hidden = plan.convergence.length < 2;
    if (this.element.hidden) return;
    const points = plan.convergence;
    const end = Math.max(plan.search_s, points[points.length - 1][0], 1e-9);
    const high = points[0][2] * 1.04,
      low = Math.min(plan.bound_s || Infinity, plan.step_s) * 0.94;
    const x = (t: number) => LEFT + (t / end) * (W - LEFT - RIGHT);
    const y = (s: number) => TOP + ((high - s) / Math.max(high - low, 1e-12)) * (H - TOP - BOTTOM);
    let line = `M${x(points[0][0])} ${y(points[0][2])}`;
    for (let i = 1; i < points.length; ++i) line += `H${x(points[i][0])}V${y(points[i][2])}`;
    line += `H${x(end)}`;
    const drawing = svg("svg", {
      viewBox: `0 0 ${W} ${H}`,
      class: "chart",
      role: "img",
      "aria-label": `The best ${valueName(this.store.report)} fell from ${seconds(points[0][2])} to ${seconds(plan.step_s)}`,
    });
    const stepUp = niceStep((high - low) / 4),
      stepRight = niceStep(end / 5);
    for (let s = Math.ceil(low / stepUp) * stepUp; s <= high; s += stepUp) {
      drawing.append(
        svg("line", { x1: LEFT, x2: W - RIGHT, y1: y(s), y2: y(s), class: "grid" }),
        svg("text", { x: LEFT - 8, y: y(s) + 4, "text-anchor": "end" }, axisLabel(s, stepUp)),
      );
    }
    for (let t = 0; t <= end; t += stepRight) {
      drawing.append(svg("text", { x: x(t), y: H - 8, "text-anchor": "middle" }, axisLabel(t, stepRight)));
    }
    if (plan.bound_s > 0) {
      drawing.append(
        svg("line", { x1: LEFT, x2: W - RIGHT, y1: y(plan.bound_s), y2: y(plan.bound_s), class: "bound" }),
        svg("text", { x: W - RIGHT, y: y(plan.bound_s) - 6, "text-anchor": "end" }, "lower bound"),
      );
    }
    drawing.append(svg("path", { d: line, class: "best" }));
    for (const [t, evaluations, s] of points) {
      drawing.append(
        svg(
          "circle",
          { cx: x(t), cy: y(s), r: 3, class: "dot" },
          svg("title", {}, `${seconds(s)} after ${seconds(t)}, ${plural(evaluations, "plan")}`),
        ),
      );
    }
    this.body.replaceChildren(drawing);
  }
}
