// SPDX-License-Identifier: Apache-2.0
// Colours. Devices take Paul Tol's "bright" scheme and two of his "light" one, made for colour-blind people;
// CPUs are grey. Names stand beside colours everywhere, so that nothing depends on them alone.
import type { Report } from "./data";

const ACCELERATORS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99"];
const HOSTS = ["#8b919b", "#b3a78f", "#6f7f8f"];
const CLASSES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99", "#8b919b"];

export type Rgb = [number, number, number];

export function rgb(hex: string): Rgb {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

const hexOf = (c: Rgb): string => "#" + c.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("");

// Devices beyond the palette take its colours again, lighter each time.
function lighter(hex: string, rounds: number): string {
  const by = 1 - Math.pow(0.62, rounds);
  return hexOf(rgb(hex).map((v) => v + (255 - v) * by) as Rgb);
}

export function deviceColours(report: Report): string[] {
  let hosts = 0,
    others = 0;
  return report.devices.map((device) => {
    if (device.kind === "cpu") return HOSTS[hosts++ % HOSTS.length];
    const i = others++;
    return lighter(ACCELERATORS[i % ACCELERATORS.length], Math.floor(i / ACCELERATORS.length));
  });
}

export type ColourMode = "device" | "class" | "lane";

export interface Colouring {
  of: Uint8Array;
  palette: string[];
  labels: string[];
}

// What every op is painted with: an index into a palette of at most 256 colours.
export function colouring(report: Report, device: Uint8Array, mode: ColourMode): Colouring {
  if (mode === "device")
    return { of: device, palette: deviceColours(report), labels: report.devices.map((d) => d.name) };
  if (mode === "lane") {
    const palette = report.lanes.map((_, i) =>
      lighter(ACCELERATORS[i % ACCELERATORS.length], Math.floor(i / ACCELERATORS.length)),
    );
    return { of: Uint8Array.from(report.laneOf), palette, labels: report.lanes.map((lane) => lane.name || "other") };
  }
  // The most frequent classes have a colour each, the rest share the last one.
  const counts = new Float64Array(report.classes.length);
  for (let op = 0; op < report.ops; ++op) counts[report.opClass[op]] += report.times[0][op];
  const order = [...counts.keys()].filter((c) => counts[c] > 0).sort((a, b) => counts[b] - counts[a]);
  const last = CLASSES.length - 1;
  const colourOf = new Uint8Array(report.classes.length).fill(last);
  order.slice(0, last).forEach((c, i) => (colourOf[c] = i));
  return {
    of: report.opClass.map((c) => colourOf[c]),
    palette: CLASSES,
    labels: [...order.slice(0, last).map((c) => report.classes[c]), ...(order.length > last ? ["other"] : [])],
  };
}

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export interface Ink {
  text: string;
  muted: string;
  line: string;
  faint: string;
  surface: string;
  alarm: string;
  critical: string;
}

export function ink(): Ink {
  return {
    text: css("--text"),
    muted: css("--muted"),
    line: css("--line"),
    faint: css("--faint"),
    surface: css("--surface"),
    alarm: css("--alarm"),
    critical: css("--critical"),
  };
}
