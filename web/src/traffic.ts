// SPDX-License-Identifier: Apache-2.0
// Who sends how much to whom.
import { card, el, scrollBox } from "./dom";
import { bytes, plural } from "./format";
import type { Store } from "./store";
import { deviceColours } from "./theme";
import { during } from "./words";

const MANY_DEVICES = 6; // more need the whole width

export class Traffic {
  private table = scrollBox("Traffic from device to device");
  readonly element: HTMLElement;

  constructor(private store: Store) {
    const hint = `From the device of the row to that of the column, ${during(store.report)}`;
    this.element = card("traffic", "Traffic", hint, [], this.table);
    this.fill();
    store.onChange((change) => {
      if (change === "plan") this.fill();
    });
  }

  private fill(): void {
    const { plan, report } = this.store;
    const n = report.devices.length;
    this.element.classList.toggle("wide", n > MANY_DEVICES);
    const most = Math.max(1, ...plan.traffic);
    const colours = deviceColours(report);
    const head = (i: number, scope: string) =>
      el("th", { scope }, el("span", { class: "swatch", style: `background:${colours[i]}` }), report.devices[i].name);
    const rows = report.devices.map((_, from) =>
      el(
        "tr",
        {},
        head(from, "row"),
        ...report.devices.map((_, to) => {
          const sent = plan.traffic[from * n + to];
          if (sent === 0) return el("td", { class: "none" }, from === to ? "" : "\u00b7");
          return el(
            "td",
            {
              style: `--share:${(100 * Math.sqrt(sent / most)).toFixed(0)}%`,
              title: plural(plan.crossings[from * n + to], "tensor"),
            },
            bytes(sent),
          );
        }),
      ),
    );
    const total = plan.traffic.reduce((a, b) => a + b, 0),
      tensors = plan.crossings.reduce((a, b) => a + b, 0);
    this.table.replaceChildren(
      el(
        "table",
        { class: "matrix" },
        el("thead", {}, el("tr", {}, el("td", {}), ...report.devices.map((_, i) => head(i, "col")))),
        el("tbody", {}, ...rows),
      ),
      el(
        "p",
        { class: "hint" },
        `${bytes(total)} in ${plural(tensors, "tensor")} ${tensors === 1 ? "crosses" : "cross"} from device to device.`,
      ),
    );
  }
}
