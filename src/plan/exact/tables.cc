// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/tables.h"

#include <algorithm>
#include <numeric>

namespace berth::exact {
namespace {

int as_int(std::size_t value) { return static_cast<int>(value); }
template <typename Id>
int id(Id value) {
  return as_int(index(value));
}

Storage storage_of(Role role) {
  if (role == Role::kView) return Storage::kAlias;
  return is_resident(role) ? Storage::kResident : Storage::kOwn;
}

}  // namespace

Tables::Tables(const Problem& given)
    : problem(&given),
      ops(as_int(given.graph().num_ops())),
      tensors(as_int(given.graph().num_tensors())),
      units(as_int(given.num_units())),
      devices(as_int(given.machine().num_devices())),
      queues(as_int(given.machine().queues().size())),
      channels(as_int(given.machine().channels().size())) {
  copy_ops();
  copy_tensors();
  copy_units();
  copy_machine();
  time_transfers();
  find_early_units();
  find_granularity();
}

void Tables::copy_ops() {
  const Graph& graph = problem->graph();
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op)) inputs.items.push_back(id(tensor));
    for (const OpId before : graph.control_inputs(op)) control_in.items.push_back(id(before));
    for (const OpId after : graph.control_outputs(op)) control_out.items.push_back(id(after));
    Bytes allocated = 0;
    storage.push_back(storage_of(graph.role(op)));
    for (const TensorId tensor : graph.outputs(op)) {
      outputs.items.push_back(id(tensor));
      if (storage.back() == Storage::kOwn) allocated += graph.bytes(tensor);
    }
    for (Rows* rows : {&inputs, &control_in, &control_out, &outputs}) rows->end_row();
    waits.push_back(as_int(graph.distinct_inputs(op).size() + graph.control_inputs(op).size()));
    alias_of.push_back(storage.back() == Storage::kAlias ? id(graph.inputs(op).front()) : -1);
    output_bytes.push_back(allocated);
    resident.push_back(graph.resident_bytes(op));
    unit_of.push_back(static_cast<int>(problem->unit(op)));
    computes.push_back(graph.role(op) == Role::kCompute ? 1 : 0);
    for (const DeviceId device : problem->machine().device_ids()) duration.push_back(problem->duration(op, device));
  }
  for (const OpId op : graph.topological_order()) topological.push_back(id(op));
}

void Tables::copy_tensors() {
  const Graph& graph = problem->graph();
  for (const TensorId tensor : graph.tensors()) {
    for (const OpId consumer : graph.consumers(tensor)) consumers.items.push_back(id(consumer));
    consumers.end_row();
    producer.push_back(id(graph.producer(tensor)));
    bytes.push_back(graph.bytes(tensor));
    kept.push_back(graph.is_graph_output(tensor) ? 1 : 0);
  }
}

void Tables::copy_units() {
  for (std::uint32_t unit = 0; unit < problem->num_units(); ++unit) {
    for (const OpId op : problem->unit_ops(unit)) unit_ops.items.push_back(id(op));
    unit_ops.end_row();
    allowed.push_back(problem->unit_allowed(unit));
  }
}

void Tables::copy_machine() {
  const Machine& machine = problem->machine();
  for (const DeviceId device : machine.device_ids()) {
    lanes.push_back(machine.device(device).lanes);
    const int pool = machine.pool_of(device);
    account.push_back(pool >= 0 ? devices + pool : id(device));
    capacity.push_back(problem->capacity(device));
  }
  const Constraints& constraints = problem->constraints();
  has_limits = constraints.max_devices || constraints.max_crossings;
  Bytes everything = std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
  for (const OpId op : problem->graph().ops()) everything += problem->graph().resident_bytes(op);
  for (int pool = 0; pool < as_int(machine.pools().size()); ++pool) capacity.push_back(problem->pool_capacity(pool));
  // A pool may hold a copy on each of its devices.
  memory_binds = std::ranges::any_of(capacity, [&](Bytes holds) { return holds / devices < everything; });
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      first_hop.push_back(as_int(hops.size()));
      DeviceSet on_the_way = 0;
      for (const std::uint16_t channel : machine.route(from, to)) {
        const Channel& link = machine.channels()[channel];
        hops.push_back({link.queue, channel, false});
        for (const int end : {int{link.from}, int{link.to}}) on_the_way |= end < devices ? DeviceSet{1} << end : 0;
      }
      relays.push_back(on_the_way);
      if (from != to) hops.back().last = true;
      control_latency.push_back(problem->control_latency(from, to));
    }
  }
}

void Tables::time_transfers() {
  hop_time.reserve(at(tensors) * at(channels));
  unloaded_time.reserve(cell(tensors * devices, 0));
  for (int tensor = 0; tensor < tensors; ++tensor) {
    for (int channel = 0; channel < channels; ++channel)
      hop_time.push_back(problem->transfer_time(bytes[at(tensor)], channel));
    for (int from = 0; from < devices; ++from) {
      for (int to = 0; to < devices; ++to) {
        Picoseconds sum = 0;
        if (from != to) {
          for (const Hop* hop = &hops[at(first_hop[cell(from, to)])];; ++hop) {
            sum += on_channel(tensor, hop->channel);
            if (hop->last) break;
          }
        }
        unloaded_time.push_back(sum);
      }
    }
  }
}

void Tables::find_granularity() {
  granularity = 0;
  for (const auto* times : {&duration, &hop_time, &control_latency}) {
    for (const Picoseconds time : *times) granularity = std::gcd(granularity, time);
  }
  granularity = std::max<Picoseconds>(granularity, 1);
}

// An op is done at time 0 wherever it is if it takes no time on any device and waits for such ops alone. Who reads it
// elsewhere asks for a copy at time 0, so its unit needs a device then; likewise a unit with a compute op that waits
// for nothing else.
void Tables::find_early_units() {
  std::vector<std::uint8_t> instant(at(ops), 0), needed(at(units), 0);
  quiet.assign(at(ops), 0);
  for (const int op : topological) {
    const auto i = at(op);
    const auto is_instant = [&](int before) { return instant[at(before)] != 0; };
    const auto is_same_unit = [&](int other) { return unit_of[at(other)] == unit_of[i]; };
    const bool waits_for_nothing =
        std::ranges::all_of(inputs.of(op), [&](int tensor) { return is_instant(producer[at(tensor)]); }) &&
        std::ranges::all_of(control_in.of(op), [&](int before) { return is_instant(before) && is_same_unit(before); });
    if (!waits_for_nothing) continue;
    instant[i] = computes[i] == 0 ? 1 : 0;
    bool is_local = std::ranges::all_of(control_out.of(op), is_same_unit);
    for (const int tensor : outputs.of(op))
      is_local = is_local && std::ranges::all_of(consumers.of(tensor), is_same_unit);
    for (const int tensor : inputs.of(op)) is_local = is_local && is_same_unit(producer[at(tensor)]);
    if (instant[i] == 0 || !is_local) needed[at(unit_of[i])] = 1;
    quiet[i] = instant[i];
  }
  for (const int op : topological) {
    std::uint8_t& is_needed = needed[at(unit_of[at(op)])];
    if (is_needed == 1) needed_at_start.push_back(unit_of[at(op)]);
    if (is_needed == 1) is_needed = 2;
  }
  for (int op = 0; op < ops; ++op) {
    if (needed[at(unit_of[at(op)])] != 0) quiet[at(op)] = 0;
  }
}

}  // namespace berth::exact
