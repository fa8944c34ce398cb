// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/live_memory.h"

namespace berth {

LiveMemory::LiveMemory(const Problem& problem, const Grouping& grouping, double share)
    : problem_(problem),
      graph_(problem.graph()),
      domains_(problem),
      held_(domains_.size(), 0),
      fixed_bytes_(grouping.size(), 0),
      uses_(graph_.num_tensors(), 0),
      holding_(graph_.num_tensors(), kNone) {
  for (std::size_t domain = 0; domain < domains_.size(); ++domain) {
    limit_.push_back(static_cast<Bytes>(share * static_cast<double>(domains_.capacity(domain))));
  }
  for (const OpId op : graph_.ops()) {
    Bytes& bytes = fixed_bytes_[grouping.of(problem, op)];
    bytes += problem.resident_bytes(op);
    if (graph_.role(op) == Role::kInput) bytes += output_bytes(op);
  }
  find_storages();
}

void LiveMemory::find_storages() {
  storage_.resize(graph_.num_tensors());
  for (const OpId op : graph_.topological_order()) {
    for (const TensorId tensor : graph_.outputs(op)) {
      const bool view = graph_.role(op) == Role::kView;
      const TensorId storage = view ? storage_[index(graph_.inputs(op).front())] : tensor;
      storage_[index(tensor)] = storage;
      for (const OpId consumer : graph_.consumers(tensor)) {
        if (graph_.role(consumer) != Role::kView) ++uses_[index(storage)];
      }
      if (graph_.is_graph_output(tensor)) ++uses_[index(storage)];  // held to the end
    }
  }
}

Bytes LiveMemory::output_bytes(OpId op) const {
  Bytes bytes = 0;
  for (const TensorId tensor : graph_.outputs(op)) bytes += graph_.bytes(tensor);
  return bytes;
}

Bytes LiveMemory::need(const PartialSchedule& schedule, OpId op, DeviceId device) const {
  Bytes bytes = graph_.role(op) == Role::kCompute ? output_bytes(op) : 0;
  if (!schedule.is_fixed(schedule.group(op))) bytes += fixed_bytes_[schedule.group(op)];
  std::uint32_t last = schedule.group(op);  // inputs of one group mostly come one after the other
  for (const TensorId tensor : graph_.distinct_inputs(op)) {
    const std::uint32_t source = schedule.group(graph_.producer(tensor));
    if (!schedule.is_fixed(source)) {
      if (source != last && source != schedule.group(op)) bytes += fixed_bytes_[source];
      last = source;
    } else if (!schedule.is_on(tensor, device)) {
      bytes += graph_.bytes(tensor);
    }
  }
  return bytes;
}

void LiveMemory::hold(TensorId storage, DeviceId device, Bytes bytes) {
  if (bytes == 0 || !stays_alive(storage)) return;
  const std::size_t domain = domains_.of(device);
  held_[domain] += bytes;
  holdings_.push_back({domain, bytes, holding_[index(storage)]});
  holding_[index(storage)] = static_cast<std::uint32_t>(holdings_.size() - 1);
}

void LiveMemory::use(TensorId storage) {
  if (--uses_[index(storage)] > 0) return;
  for (std::uint32_t i = holding_[index(storage)]; i != kNone; i = holdings_[i].next) {
    held_[holdings_[i].domain] -= holdings_[i].bytes;
  }
  holding_[index(storage)] = kNone;
}

void LiveMemory::place(const PartialSchedule& schedule, OpId op, DeviceId device) {
  for (const std::uint32_t group : schedule.last_fixed()) {
    held_[domains_.of(schedule.device_of_group(group))] += fixed_bytes_[group];
  }
  for (const TensorId tensor : schedule.last_sent()) hold(storage_[index(tensor)], device, graph_.bytes(tensor));
  if (graph_.role(op) == Role::kCompute) {
    for (const TensorId tensor : graph_.outputs(op)) hold(tensor, device, graph_.bytes(tensor));
  }
  if (graph_.role(op) == Role::kView) return;
  for (const TensorId tensor : graph_.distinct_inputs(op)) use(storage_[index(tensor)]);
}

}  // namespace berth
