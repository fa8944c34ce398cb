// SPDX-License-Identifier: Apache-2.0
// What lines and colours of the pictures mean.
import { el, svg } from "./dom";
import type { EdgeScale } from "./edges";
import { UNLIT } from "./events";
import { bytes } from "./format";
import type { Store } from "./store";
import { deviceColours } from "./theme";

// A piece of a line, as it is in the picture.
function strokeMark(path: Record<string, string | number>): SVGElement {
  return svg(
    "svg",
    { width: 26, height: 10, class: "stroke", "aria-hidden": "true" },
    svg("path", { fill: "none", ...path }),
  );
}

export function edgeLegend(scale: EdgeScale): HTMLElement {
  const line = (width: number, opacity: number, colour: string) =>
    strokeMark({ d: "M1 5H25", stroke: colour, "stroke-width": width, "stroke-opacity": opacity });
  const [small, middle, large] = scale.marks();
  const sizes = [small, middle, large].map((size) =>
    el("li", {}, line(scale.width(size), 0.7, "var(--muted)"), size === small ? `up to ${bytes(size)}` : bytes(size)),
  );
  return el(
    "ul",
    { class: "legend", "aria-label": "Edges" },
    el("li", { class: "hint" }, "Edges, near by"),
    ...sizes,
    el("li", {}, line(2, scale.opacity(large, true, false), "var(--critical)"), "to another device"),
    el("li", {}, line(2, scale.opacity(large, false, true), "var(--muted)"), "weights and constants"),
  );
}

// What the marks of the timeline mean. Links have colours of their own: those above may stand for kinds of ops.
export function timelineLegend(store: Store): HTMLElement {
  const { report } = store;
  const colours = deviceColours(report);
  const block = (opacity: number) =>
    el("span", { class: "swatch", style: `background:var(--accent);opacity:${opacity}` });
  const line = (width: number, opacity: number) =>
    strokeMark({
      d: "M1 9C10 9 16 1 25 1",
      stroke: "var(--critical)",
      "stroke-width": width,
      "stroke-opacity": opacity,
    });
  const senders = report.queues.length === 0 ? [] : colours;
  return el(
    "ul",
    { class: "legend", "aria-label": "Marks of the timeline" },
    el("li", {}, block(1), "on the critical path"),
    el("li", {}, block(UNLIT), "not on it"),
    el("li", {}, line(1.5, 1), "the critical path goes to another device"),
    el("li", {}, line(1, 0.4), "a transfer"),
    senders.length > 0 && el("li", { class: "hint" }, "Links: sent by"),
    ...senders.map((colour, i) =>
      el("li", {}, el("span", { class: "swatch", style: `background:${colour}` }), report.devices[i].name),
    ),
  );
}
