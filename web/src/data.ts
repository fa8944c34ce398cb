// SPDX-License-Identifier: Apache-2.0
// The report's data: a small JSON head and one blob of typed arrays (src/report/blob.h).

export interface Device {
  name: string;
  model: string;
  kind: string;
  lanes: number;
  capacity: number | null;
  pool: number;
  class: number;
}
export interface Lane {
  name: string;
  top: number;
  height: number;
}
export interface DeviceUse {
  busy_s: number;
  peak: number;
  ops: number;
  critical_s: number;
}
export interface QueueUse {
  busy_s: number;
  bytes: number;
}

// What every device has to do for one sample, transfers included, and who sets the pace: a device or a link.
export interface Pipeline {
  loads_s: number[];
  transfers_s: number[];
  limiting_device?: number;
  limiting_queue?: number;
}

interface PlanHead {
  name: string;
  note: string;
  step_s: number;
  feasible: boolean;
  bound_s: number;
  tick_s: number;
  search_s: number;
  interrupted: boolean;
  evaluations: number;
  seed: number;
  limits: string[];
  path: { compute_s: number; transfer_s: number; for_data_s: number; for_device_s: number; for_link_s: number };
  overflow?: { device: number; over: number; time_s: number; op: number };
  devices: DeviceUse[];
  pool_peaks: number[];
  queues: QueueUse[];
  traffic: number[];
  crossings: number[];
  convergence: [number, number, number][];
  memory_bins: number;
  pipeline?: Pipeline; // where samples stream through: all starts are 0 then, and path, transfers and memory are empty
  moves: { op: number; to: [number, number, boolean][] }[];
}

export interface Head {
  format: string;
  version: string;
  objective: "step" | "pipeline";
  title: string;
  ops: number;
  edges: number;
  flops: number;
  parameter_bytes: number;
  machine: { name: string; description: string };
  devices: Device[];
  pools: { name: string; capacity: number | null }[];
  channels: { name: string; queue: number }[];
  queues: string[];
  types: string[];
  modules: string[];
  attributes: string[]; // "kernel_shape = [3, 3]" and so on, a line each
  classes: string[];
  forms: string[]; // "f32 [128, 512]"
  allowed: number[][];
  columns: number;
  rows: number;
  lanes: Lane[];
  yardsticks: { name: string; note: string; step_s: number | null }[];
  plans: PlanHead[];
  compressed: boolean;
  arrays: Record<string, [string, number, number]>;
}

export const COMPUTE = 0; // of Report.role
export const IS_TRANSFER = 0x80000000;

// One plan with its arrays. Times are in ticks of tick_s.
export interface Plan extends PlanHead {
  index: number;
  device: Uint8Array;
  start: Uint32Array;
  duration: Uint32Array;
  lane: Uint8Array;
  leader: Map<number, number>;
  sentOp: Uint32Array;
  sentFrom: Uint8Array;
  sentTo: Uint8Array;
  sentChannel: Uint32Array;
  sentStart: Uint32Array;
  sentDuration: Uint32Array;
  sentBytes: Float32Array;
  memory: Float32Array;
  steps: Uint32Array;
  stepWhy: Uint8Array;
  onPath: Uint8Array;
  byStart: Uint32Array[]; // per device: the ops that take time, by start
  stepTicks: number;
}

export interface Report extends Head {
  names: string[];
  type: Uint32Array;
  module: Uint32Array;
  attributesOf: Uint32Array;
  allowedOf: Uint32Array;
  unit: Uint32Array;
  unitSize: Map<number, number>;
  role: Uint8Array;
  opClass: Uint8Array;
  flopsOf: Float32Array;
  resident: Float32Array;
  outputBegin: Uint32Array; // per op: its tensors
  tensorForm: Uint32Array;
  tensorBytes: Float32Array;
  inputBegin: Uint32Array; // per op: its edges
  inputTensor: Uint32Array; // per edge: what comes along it, and the op that makes it
  input: Uint32Array;
  userBegin: Uint32Array;
  user: Uint32Array;
  laneOf: Uint32Array;
  column: Uint32Array;
  top: Float32Array;
  height: Float32Array;
  columnX: Float32Array; // where each column begins, and where the last one ends
  columnBegin: Uint32Array;
  byColumn: Uint32Array;
  times: Float32Array[]; // per class of devices
  full: Plan[];
}

async function bytesOf(text: string, compressed: boolean): Promise<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  if (!compressed) return bytes.buffer;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

class Arrays {
  constructor(
    private buffer: ArrayBuffer,
    private index: Head["arrays"],
  ) {}

  private entry(name: string, type: string): [number, number] {
    const entry = this.index[name];
    if (!entry || entry[0] !== type) throw new Error(`the report lacks the array ${name}`);
    return [entry[1], entry[2]];
  }

  u8(name: string): Uint8Array {
    const [offset, count] = this.entry(name, "u8");
    return new Uint8Array(this.buffer, offset, count);
  }

  f32(name: string): Float32Array {
    const [offset, count] = this.entry(name, "f32");
    return new Float32Array(this.buffer, offset, count);
  }

  // Stored as differences, all lowest bytes first.
  u32(name: string): Uint32Array {
    const [offset, count] = this.entry(name, "u32");
    const bytes = new Uint8Array(this.buffer, offset, 4 * count);
    const numbers = new Uint32Array(count);
    let value = 0;
    for (let i = 0; i < count; ++i) {
      value =
        (value + (bytes[i] | (bytes[i + count] << 8) | (bytes[i + 2 * count] << 16) | (bytes[i + 3 * count] << 24))) >>>
        0;
      numbers[i] = value;
    }
    return numbers;
  }

  texts(name: string, lengths: Uint32Array): string[] {
    const [offset] = this.entry(name, "text");
    const decoder = new TextDecoder();
    const texts: string[] = new Array(lengths.length);
    let at = offset;
    for (let i = 0; i < lengths.length; ++i) {
      texts[i] = decoder.decode(new Uint8Array(this.buffer, at, lengths[i]));
      at += lengths[i];
    }
    return texts;
  }
}

function sums(counts: Uint32Array): Uint32Array {
  const begin = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) begin[i + 1] = begin[i] + counts[i];
  return begin;
}

// Rows of a table: which items have each key, in order.
function grouped(keys: Uint32Array | Uint8Array, groups: number): { begin: Uint32Array; items: Uint32Array } {
  const counts = new Uint32Array(groups);
  for (let i = 0; i < keys.length; ++i) ++counts[keys[i]];
  const begin = sums(counts);
  const next = begin.slice();
  const items = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; ++i) items[next[keys[i]]++] = i;
  return { begin, items };
}

// The row that each item of a table is in.
function rowOf(begin: Uint32Array): Uint32Array {
  const row = new Uint32Array(begin[begin.length - 1]);
  for (let i = 0; i + 1 < begin.length; ++i) row.fill(i, begin[i], begin[i + 1]);
  return row;
}

function usersOf(inputBegin: Uint32Array, input: Uint32Array): { begin: Uint32Array; items: Uint32Array } {
  const table = grouped(input, inputBegin.length - 1);
  const consumer = rowOf(inputBegin);
  return { begin: table.begin, items: table.items.map((edge) => consumer[edge]) };
}

function planOf(head: Head, index: number, arrays: Arrays): Plan {
  const plan = head.plans[index];
  const name = (field: string) => `plan${index}.${field}`;
  const device = arrays.u8(name("device")),
    start = arrays.u32(name("start")),
    duration = arrays.u32(name("duration"));
  const steps = arrays.u32(name("path"));
  const onPath = new Uint8Array(head.ops);
  for (const item of steps) if (item < IS_TRANSFER) onPath[item] = 1;
  const fused = arrays.u32(name("fused"));
  const leader = new Map<number, number>();
  for (let i = 0; i < fused.length; i += 2) leader.set(fused[i], fused[i + 1]);
  const table = grouped(device, head.devices.length);
  const byStart = head.devices.map((_, d) =>
    table.items
      .slice(table.begin[d], table.begin[d + 1])
      .filter((op) => duration[op] > 0)
      .sort((a, b) => start[a] - start[b]),
  );
  return {
    ...plan,
    index,
    device,
    start,
    duration,
    lane: arrays.u8(name("lane")),
    leader,
    steps,
    onPath,
    byStart,
    stepWhy: arrays.u8(name("path_why")),
    memory: arrays.f32(name("memory")),
    sentOp: arrays.u32(name("sent_op")),
    sentFrom: arrays.u8(name("sent_from")),
    sentTo: arrays.u8(name("sent_to")),
    sentChannel: arrays.u32(name("sent_channel")),
    sentStart: arrays.u32(name("sent_start")),
    sentDuration: arrays.u32(name("sent_duration")),
    sentBytes: arrays.f32(name("sent_bytes")),
    stepTicks: Math.max(1, plan.step_s / plan.tick_s),
  };
}

export async function loadReport(): Promise<Report> {
  const text = (id: string) => document.getElementById(id)!.textContent!;
  const head = JSON.parse(text("report")) as Head;
  const arrays = new Arrays(await bytesOf(text("data"), head.compressed), head.arrays);
  document.getElementById("data")!.textContent = ""; // megabytes that nobody needs again
  const outputBegin = sums(arrays.u32("output_count"));
  const producer = rowOf(outputBegin);
  const inputBegin = sums(arrays.u32("input_count")),
    inputTensor = arrays.u32("input_tensor");
  const input = inputTensor.map((tensor) => producer[tensor]);
  const users = usersOf(inputBegin, input);
  const column = arrays.u32("column");
  const columns = grouped(column, head.columns);
  const unit = arrays.u32("unit");
  const unitSize = new Map<number, number>();
  for (const u of unit) unitSize.set(u, (unitSize.get(u) ?? 0) + 1);
  const classes = Math.max(...head.devices.map((d) => d.class)) + 1;
  return {
    ...head,
    names: arrays.texts("names", arrays.u32("name_length")),
    type: arrays.u32("type"),
    module: arrays.u32("module"),
    attributesOf: arrays.u32("attributes"),
    allowedOf: arrays.u32("allowed"),
    unit,
    unitSize,
    role: arrays.u8("role"),
    opClass: arrays.u8("class"),
    flopsOf: arrays.f32("flops"),
    resident: arrays.f32("resident"),
    outputBegin,
    tensorForm: arrays.u32("tensor_form"),
    tensorBytes: arrays.f32("tensor_bytes"),
    inputBegin,
    inputTensor,
    input,
    userBegin: users.begin,
    user: users.items,
    laneOf: arrays.u32("lane"),
    column,
    top: arrays.f32("top"),
    height: arrays.f32("height"),
    columnX: arrays.f32("column_x"),
    columnBegin: columns.begin,
    byColumn: columns.items,
    times: Array.from({ length: classes }, (_, c) => arrays.f32(`time${c}`)),
    full: head.plans.map((_, i) => planOf(head, i, arrays)),
  };
}
