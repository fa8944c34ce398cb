// SPDX-License-Identifier: Apache-2.0
// The tip beside the pointer.
import { el } from "./dom";

const tip = el("div", { class: "tip", role: "tooltip", hidden: true });

export function installTip(): void {
  document.body.append(tip);
  document.addEventListener("scroll", hideTip, { passive: true });
}

export function showTip(content: Node, x: number, y: number): void {
  tip.replaceChildren(content);
  tip.hidden = false;
  const [w, h] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(8, Math.min(x + 14, window.innerWidth - w - 8))}px`;
  tip.style.top = `${y + 18 + h > window.innerHeight ? y - h - 12 : y + 18}px`;
}

export function hideTip(): void {
  tip.hidden = true;
}

export function tipOf(title: string, ...lines: (string | false | null)[]): Node {
  return el("div", {}, el("strong", {}, title), ...lines.filter(Boolean).map((line) => el("div", {}, line as string)));
}
