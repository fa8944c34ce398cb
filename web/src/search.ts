// SPDX-License-Identifier: Apache-2.0
// Finding ops by any part of their name, type or module.
import { el } from "./dom";
import { grouped } from "./format";
import type { Store } from "./store";

const MOST_SHOWN = 10;

export class Search {
  readonly input = el("input", {
    type: "search",
    placeholder: "Find an op  /",
    "aria-label": "Find an op",
    autocomplete: "off",
    spellcheck: "false",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "found",
  });
  private list = el("ul", { id: "found", class: "found", role: "listbox", hidden: true });
  readonly element = el("div", { class: "search" }, this.input, this.list);
  private lower: string[] | null = null;
  private matches: number[] = [];
  private at = 0;

  constructor(
    private store: Store,
    private show: (op: number) => void,
  ) {
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("focus", () => this.search());
    this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.input.focus();
    });
  }

  private search(): void {
    const { report } = this.store;
    this.lower ??= report.names.map((name, op) =>
      `${name} ${report.types[report.type[op]]} ${report.modules[report.module[op]]}`.toLowerCase(),
    );
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.matches = [];
    this.at = 0;
    if (words.length === 0) {
      this.store.markFound(null);
      return this.close();
    }
    const found = new Uint8Array(report.ops);
    for (let op = 0; op < report.ops; ++op) {
      if (!words.every((word) => this.lower![op].includes(word))) continue;
      found[op] = 1;
      this.matches.push(op);
    }
    this.store.markFound(found);
    this.fill();
  }

  private fill(): void {
    const { report } = this.store;
    this.list.replaceChildren(
      ...this.matches
        .slice(0, MOST_SHOWN)
        .map((op, i) =>
          el(
            "li",
            { role: "option", "aria-selected": String(i === this.at), onpointerdown: () => this.choose(i) },
            report.names[op],
            el("small", {}, report.types[report.type[op]]),
          ),
        ),
      el(
        "li",
        { class: "hint" },
        this.matches.length === 0
          ? "no op has that in its name, type or module"
          : `${grouped(this.matches.length)} found, lit in the pictures`,
      ),
    );
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  private close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  private choose(i: number): void {
    const op = this.matches[i];
    if (op === undefined) return;
    this.store.markFound(null); // now that one is chosen, its neighbours matter
    this.store.select(op);
    this.show(op);
    this.close();
  }

  private key(event: KeyboardEvent): void {
    const last = Math.min(this.matches.length, MOST_SHOWN) - 1;
    if (event.key === "ArrowDown") this.at = Math.min(last, this.at + 1);
    else if (event.key === "ArrowUp") this.at = Math.max(0, this.at - 1);
    else if (event.key === "Enter") return this.choose(this.at);
    else if (event.key === "Escape") {
      this.input.value = "";
      this.search();
      return this.input.blur();
    } else return;
    event.preventDefault();
    this.fill();
  }
}
