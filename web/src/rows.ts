// SPDX-License-Identifier: Apache-2.0
// The rows of the timeline: devices, links, memories. A machine may have dozens of links: the busiest have rows, the rest
// share one until somebody asks for them, and idle ones are a line of names.
import type { Plan, Report } from "./data";
import { percent, plural } from "./format";

const AXIS = 26,
  DEVICE = 30,
  LINK = 13,
  MEMORY = 46,
  GAP = 4,
  HEADING = 24;
const FEW_LINKS = 10, // so many always have rows
  BUSIEST = 6;

export interface Row {
  kind: "device" | "link" | "idle" | "memory" | "heading";
  top: number;
  height: number;
  item: number; // a device, or an entry of Rows.sent
  label: string;
}

export interface Rows {
  all: Row[];
  height: number;
  sent: Uint32Array[]; // per link row: its transfers, by start
  idle: string[]; // names of links
  hidden: number; // links that share a row
  links: number; // that carry something
  areMany: boolean; // links: too many to show all of them unasked
}

function busiestFirst(plan: Plan): number[] {
  return [...plan.queues.keys()]
    .filter((queue) => plan.queues[queue].busy_s > 0)
    .sort((a, b) => plan.queues[b].busy_s - plan.queues[a].busy_s);
}

export function rowsOf(report: Report, plan: Plan, everyLink: boolean): Rows {
  const rows: Rows = { all: [], height: AXIS, sent: [], idle: [], hidden: 0, links: 0, areMany: false };
  const add = (kind: Row["kind"], height: number, item: number, label: string) => {
    rows.all.push({ kind, top: rows.height, height, item, label });
    rows.height += height + (kind === "heading" ? 2 : GAP);
  };
  const addLink = (label: string, queues: number[]) => {
    const on = new Set(queues);
    add("link", LINK, rows.sent.length, label);
    rows.sent.push(
      Uint32Array.from(plan.sentStart.keys())
        .filter((i) => on.has(report.channels[plan.sentChannel[i]].queue))
        .sort((a, b) => plan.sentStart[a] - plan.sentStart[b]),
    );
  };
  report.devices.forEach((device, i) => add("device", DEVICE, i, device.name));
  const used = busiestFirst(plan);
  rows.links = used.length;
  rows.idle = report.queues.filter((_, queue) => plan.queues[queue].busy_s === 0);
  rows.areMany = used.length > FEW_LINKS;
  const shown = rows.areMany && !everyLink ? BUSIEST : used.length;
  const busy = (queue: number) => percent(plan.queues[queue].busy_s / plan.step_s);
  if (report.queues.length > 0) add("heading", HEADING, 0, "Links");
  for (const queue of used.slice(0, shown)) addLink(`${report.queues[queue]} ${busy(queue)}`, [queue]);
  rows.hidden = used.length - shown;
  if (rows.hidden > 0) addLink(`${rows.hidden} more, up to ${busy(used[shown])}`, used.slice(shown));
  if (rows.idle.length > 0) add("idle", LINK, 0, plural(rows.idle.length, "idle link"));
  add("heading", HEADING, 0, "Memory");
  report.devices.forEach((device, i) => add("memory", MEMORY, i, device.name));
  rows.height += 6;
  return rows;
}
