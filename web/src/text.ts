// SPDX-License-Identifier: Apache-2.0
// Words on a canvas: shortened so that neighbours still differ, and readable on any colour.
import { rgb } from "./theme";

const ELLIPSIS = "\u2026";
const SEPARATORS = /[./]/;

export const lastWord = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

// A text that is too wide loses its middle: names differ in their ends, where the numbers are, more than at their beginnings.
export function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const cut = (kept: number): string => {
    const tail = Math.ceil(kept * 0.6);
    return text.slice(0, kept - tail) + ELLIPSIS + text.slice(text.length - tail);
  };
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? cut(low) : "";
}

// Where the words begin that two paths have in common at their beginning, and the first one that they have not.
function sharedWords(a: string, b: string): number[] {
  const begins = [];
  for (let i = 0; i < Math.min(a.length, b.length) && a[i] === b[i]; ++i) if (SEPARATORS.test(a[i])) begins.push(i + 1);
  return begins;
}

// Names one below the other. One that is too wide leaves out words that it shares with a neighbour, as few as it can; if
// that is not enough it loses its middle.
export function labelsOf(context: CanvasRenderingContext2D, names: string[], width: number): string[] {
  const fits = (text: string) => context.measureText(text).width <= width;
  return names.map((name, i) => {
    if (fits(name)) return name;
    const neighbours = [names[i - 1], names[i + 1]].filter((other) => other !== undefined);
    const begins = neighbours.flatMap((other) => sharedWords(name, other)).sort((a, b) => a - b);
    const shorter = begins.map((begin) => ELLIPSIS + name.slice(begin));
    return shorter.find(fits) ?? shortened(context, shorter[shorter.length - 1] ?? name, width);
  });
}

// A name in a box, and facts below it as far as there is room. A name may lose its middle; a fact is whole, or its first part
// (before " \u00b7 "), or not there, since half a number would be a wrong one.
export function linesInBox(
  context: CanvasRenderingContext2D,
  name: string,
  facts: string[],
  [x, y, w, h]: [number, number, number, number],
): void {
  const lineHeight = 13,
    room = w - 8;
  const fits = (text: string) => context.measureText(text).width <= room;
  const whole = facts.map((fact) => (fits(fact) ? fact : fact.split(" \u00b7 ")[0])).filter(fits);
  const lines = [shortened(context, name, room), ...whole].slice(0, Math.max(1, Math.floor((h - 2) / lineHeight)));
  const top = y + h / 2 - ((lines.length - 1) * lineHeight) / 2;
  lines.forEach((line, i) => context.fillText(line, x + 4, top + i * lineHeight));
}

// Black or white, whichever reads better on a colour.
export function readable(colour: string): string {
  const [r, g, b] = rgb(colour);
  return 0.299 * r + 0.587 * g + 0.114 * b > 150 ? "#15181c" : "#ffffff";
}
