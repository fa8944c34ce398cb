// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
import { Compare } from "./compare";
import { Convergence } from "./convergence";
import { loadReport, type Report } from "./data";
import { Details } from "./details";
import { el } from "./dom";
import { grouped, plural } from "./format";
import { GraphView } from "./graph";
import { PipelineView } from "./pipeline";
import { Search } from "./search";
import { Store } from "./store";
import { Summary } from "./summary";
import type { ColourMode } from "./theme";
import { TimelineView } from "./timeline";
import { installTip } from "./tip";
import { Traffic } from "./traffic";

const KEYS =
  "Keys: / finds an op; in the pictures the arrows move, + and - zoom, 0 shows everything; Escape lets go.";

function legend(store: Store): HTMLElement {
  const list = el("ul", { class: "legend", "aria-label": "Colours" });
  const fill = () =>
    list.replaceChildren(
      ...store.colours.labels.map((label, i) =>
        el("li", {}, el("span", { class: "swatch", style: `background:${store.colours.palette[i]}` }), label),
      ),
    );
  fill();
  store.onChange((change) => {
    if (change === "plan" || change === "colour") fill();
  });
  return list;
}

function colourChoice(store: Store): HTMLElement {
  const option = (value: string, text: string) => el("option", { value }, text);
  return el(
    "label",
    { class: "choice" },
    "Colour by ",
    el(
      "select",
      { onchange: (event: Event) => store.colourBy((event.target as HTMLSelectElement).value as ColourMode) },
      option("device", "device"),
      option("class", "kind of op"),
      option("lane", "part of the model"),
    ),
  );
}

function themeButton(store: Store): HTMLElement {
  const root = document.documentElement;
  return el(
    "button",
    {
      type: "button",
      class: "icon",
      "aria-label": "Light or dark",
      title: "Light or dark",
      onclick: () => {
        const dark = root.dataset.theme
          ? root.dataset.theme === "dark"
          : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
        store.themeChanged();
      },
    },
    "\u25d0",
  );
}

// Paper is light, whatever the screen is. Canvases are painted anew, so this must be registered before they are made.
function printLight(store: Store): void {
  const root = document.documentElement;
  let before: string | undefined;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => {
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
    store.themeChanged();
  });
}

function planTabs(store: Store): HTMLElement | null {
  const { full } = store.report;
  if (full.length < 2) return null;
  const buttons = full.map((plan, i) =>
    el("button", { type: "button", "aria-pressed": String(i === 0), onclick: () => store.showPlan(i) }, plan.name),
  );
  store.onChange((change) => {
    if (change === "plan")
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === store.plan.index)));
  });
  return el("nav", { class: "tabs", "aria-label": "Plans" }, ...buttons);
}

function build(report: Report): void {
  const store = new Store(report);
  installTip();
  printLight(store);
  const graph = new GraphView(store);
  const overTime = report.objective === "pipeline" ? new PipelineView(store) : new TimelineView(store);
  const details = new Details(store, (op) => {
    graph.zoomTo(op);
    graph.element.scrollIntoView({ block: "nearest" });
  });
  const search = new Search(store, (op) => {
    graph.zoomTo(op);
    graph.element.scrollIntoView({ block: "nearest" });
  });
  const device = report.devices.length;
  document
    .getElementById("app")!
    .replaceChildren(
      el(
        "header",
        { class: "top" },
        el(
          "div",
          { class: "name" },
          el("h1", {}, report.title, el("span", {}, ` on ${report.machine.name}`)),
          el(
            "p",
            { class: "hint" },
            `${plural(report.ops, "op")}, ${plural(report.edges, "edge")}, ${plural(device, "device")}` +
              ` \u00b7 ${report.machine.description}`,
          ),
        ),
        planTabs(store),
        search.element,
        themeButton(store),
      ),
      el(
        "main",
        {},
        new Summary(store).element,
        el("div", { class: "strip" }, legend(store), colourChoice(store)),
        graph.element,
        overTime.element,
        el("div", { class: "pair" }, new Traffic(store).element, new Convergence(store).element),
        report.full.length > 1 ? new Compare(store).element : null,
      ),
      el(
        "footer",
        {},
        el("p", { id: "keys" }, KEYS),
        el("p", {}, `Made by Berth ${report.version}. Times are simulated: berth help simulator says how.`),
      ),
      details.element,
    );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") store.select(null);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => store.themeChanged());
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.body.setAttribute("data-ready", grouped(Math.round(performance.now())))),
  );
}

loadReport().then(build, (error: Error) => {
  document
    .getElementById("app")!
    .replaceChildren(
      el(
        "p",
        { class: "loading" },
        `This report cannot be opened here: ${error.message}. ` +
          "Browsers from 2023 on can (Chrome 111, Firefox 113, Safari 16.4).",
      ),
    );
});
