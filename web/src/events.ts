// SPDX-License-Identifier: Apache-2.0
// Things that have a start and a duration, drawn on a row of a view: found by time, painted as boxes or as busy pixels.
import type { View } from "./view";

export const UNLIT = 0.36; // how strongly things are painted that are not lit

// The first item whose start is not before a time.
function firstFrom(items: Uint32Array, start: Uint32Array, time: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[items[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function visible(items: Uint32Array, start: Uint32Array, view: View): Uint32Array {
  const first = Math.max(0, firstFrom(items, start, view.x.from) - 8); // a few that began before, one per lane
  return items.subarray(first, firstFrom(items, start, view.x.to));
}

// The item under a pixel, or within two of it.
export function nearest(
  items: Uint32Array,
  start: Uint32Array,
  duration: Uint32Array,
  view: View,
  px: number,
): number | null {
  const time = view.worldX(px),
    slack = (2 * (view.x.to - view.x.from)) / view.plotWidth;
  let best: number | null = null,
    least = slack;
  for (let i = firstFrom(items, start, time + slack) - 1; i >= 0 && i >= firstFrom(items, start, time) - 12; --i) {
    const item = items[i];
    const distance = Math.max(0, start[item] - time, time - start[item] - duration[item]);
    if (distance < least || (distance === 0 && best === null)) [best, least] = [item, distance];
  }
  return best;
}

export function drawEvents(
  context: CanvasRenderingContext2D,
  items: Uint32Array,
  start: Uint32Array,
  duration: Uint32Array,
  view: View,
  lit: (item: number) => boolean,
  colour: (item: number) => string,
  top: (item: number) => number,
  height: number,
): void {
  const scale = view.plotWidth / (view.x.to - view.x.from);
  let pixel = -1,
    busy = 0,
    brightest = -1,
    isLit = false,
    y = 0;
  const flush = () => {
    if (brightest < 0) return;
    context.fillStyle = colour(brightest);
    context.globalAlpha = (isLit ? 1 : UNLIT) * Math.min(1, 0.25 + 0.75 * busy);
    context.fillRect(pixel, y, 1, height);
    brightest = -1;
    busy = 0;
    isLit = false;
  };
  for (const item of visible(items, start, view)) {
    const w = duration[item] * scale,
      x = view.px(start[item]);
    if (x + w < view.options.gutter) continue;
    if (w >= 1) {
      context.fillStyle = colour(item);
      context.globalAlpha = lit(item) ? 1 : UNLIT;
      context.fillRect(x, top(item), w > 4 ? w - 0.6 : w, height);
      continue;
    }
    if (Math.floor(x) !== pixel) {
      flush();
      pixel = Math.floor(x);
      y = top(item);
    }
    busy += w;
    if (brightest < 0 || (lit(item) && !isLit)) brightest = item;
    isLit = isLit || lit(item);
  }
  flush();
  context.globalAlpha = 1;
}
