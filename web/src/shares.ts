// SPDX-License-Identifier: Apache-2.0
// A bar that is cut into shares, with what each stands for below it.
import { el } from "./dom";
import { percent } from "./format";

export interface Share {
  name: string;
  value: number;
  colour: string; // any CSS background
}

export function shareBar(title: string, shares: Share[]): HTMLElement {
  const total = shares.reduce((sum, share) => sum + share.value, 0);
  const shown = shares.filter((share) => total > 0 && share.value / total >= 0.002);
  return el(
    "figure",
    { class: "shares" },
    el("figcaption", {}, title),
    el(
      "div",
      { class: "cut", "aria-hidden": "true" },
      ...shown.map((share) => el("i", { style: `flex-grow:${share.value / total};background:${share.colour}` })),
    ),
    el(
      "ul",
      { class: "legend" },
      ...shown.map((share) =>
        el(
          "li",
          {},
          el("span", { class: "swatch", style: `background:${share.colour}` }),
          `${share.name} `,
          el("b", {}, percent(share.value / total)),
        ),
      ),
    ),
  );
}
