// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/flat_graph.h"

#include <algorithm>

#include "problem/fusion.h"

namespace berth {
namespace {

FlatGraph::Storage storage_of(Role role) {
  if (role == Role::kView) return FlatGraph::Storage::kAlias;
  return is_resident(role) ? FlatGraph::Storage::kResident : FlatGraph::Storage::kOwn;
}

constexpr std::uint32_t kNoTensor = 0xffffffffU;

std::uint32_t end_of(const HugeVector<std::uint32_t>& data) { return static_cast<std::uint32_t>(data.size()); }

// Sorts and keeps one of each from `first` to the end.
void unique_tail(HugeVector<std::uint32_t>& data, std::size_t first) {
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, data.end());
  data.erase(std::unique(begin, data.end()), data.end());
}

void copy_tensors(const Graph& graph, FlatGraph& flat) {
  for (const TensorId tensor : graph.tensors()) {
    flat.producer.push_back(static_cast<std::uint32_t>(graph.producer(tensor)));
    flat.bytes.push_back(graph.bytes(tensor));
    flat.kept.push_back(graph.is_graph_output(tensor) ? 1 : 0);
  }
}

// Draws groups together. Node tables are rebuilt row by row in id order; members other than leaders get empty rows.
class Fuser {
 public:
  Fuser(const Problem& problem, const Plan& plan, const FlatGraph& unfused)
      : problem_(problem), plan_(plan), old_(unfused), leader_(fusion_leaders(problem.graph(), plan)) {}

  FlatGraph fuse() {
    flat_.num_classes = old_.num_classes;
    flat_.producer = old_.producer;
    flat_.bytes = old_.bytes;
    flat_.kept = old_.kept;
    flat_.durations = old_.durations;
    gather_members();
    flat_.input_begin.assign(1, 0);
    flat_.output_begin.assign(1, 0);
    flat_.control_begin.assign(1, 0);
    for (std::uint32_t node = 0; node < old_.num_nodes(); ++node) add_node(node);
    count_waits();
    flat_.find_sources();
    add_consumers();
    return std::move(flat_);
  }

 private:
  [[nodiscard]] std::uint32_t lead(std::uint32_t op) const { return static_cast<std::uint32_t>(leader_[op]); }
  [[nodiscard]] std::uint32_t lead_of_producer(std::uint32_t tensor) const { return lead(old_.producer[tensor]); }

  void gather_members() {
    group_of_.assign(old_.num_nodes(), -1);
    for (std::size_t i = 0; i < plan_.fusions.size(); ++i) {
      groups_.push_back(plan_.fusions[i]);
      std::sort(groups_.back().begin(), groups_.back().end());
      group_of_[index(groups_.back().front())] = static_cast<int>(i);
    }
  }

  void add_node(std::uint32_t node) {
    const bool absent = lead(node) != node;
    if (group_of_[node] >= 0) {
      add_group(node, groups_[static_cast<std::size_t>(group_of_[node])]);
    } else {
      flat_.storage.push_back(absent ? FlatGraph::Storage::kAbsent : old_.storage[node]);
      flat_.alias_of.push_back(old_.alias_of[node]);
      flat_.output_bytes.push_back(absent ? 0 : old_.output_bytes[node]);
      if (!absent) {
        append(flat_.inputs, old_.inputs_of(node));
        append(flat_.outputs, old_.outputs_of(node));
        const std::size_t first = flat_.control.size();
        for (const std::uint32_t after : old_.control_of(node)) flat_.control.push_back(lead(after));
        unique_tail(flat_.control, first);
      }
    }
    flat_.input_begin.push_back(end_of(flat_.inputs));
    flat_.output_begin.push_back(end_of(flat_.outputs));
    flat_.control_begin.push_back(end_of(flat_.control));
  }

  static void append(HugeVector<std::uint32_t>& to, std::span<const std::uint32_t> from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void add_group(std::uint32_t node, const std::vector<OpId>& members) {
    flat_.storage.push_back(FlatGraph::Storage::kOwn);
    flat_.alias_of.push_back(kNoTensor);
    const std::size_t first_input = flat_.inputs.size();
    const std::size_t first_control = flat_.control.size();
    Bytes moved = 0, allocated = 0;
    Picoseconds compute = 0;
    const DeviceId device = plan_.device(OpId{node});
    for (const OpId member : members) {
      const auto op = static_cast<std::uint32_t>(member);
      compute += problem_.compute_part(member, device);
      for (const std::uint32_t tensor : old_.inputs_of(op)) {
        if (lead_of_producer(tensor) != node) flat_.inputs.push_back(tensor);
      }
      for (const std::uint32_t tensor : old_.outputs_of(op)) {
        if (!leaves(tensor, node)) continue;
        flat_.outputs.push_back(tensor);
        allocated += old_.bytes[tensor];
      }
      for (const std::uint32_t after : old_.control_of(op)) {
        if (lead(after) != node) flat_.control.push_back(lead(after));
      }
    }
    unique_tail(flat_.inputs, first_input);
    unique_tail(flat_.control, first_control);
    for (std::size_t i = first_input; i < flat_.inputs.size(); ++i) moved += old_.bytes[flat_.inputs[i]];
    flat_.output_bytes.push_back(allocated);
    set_duration(node, device, compute, moved + allocated);
  }

  [[nodiscard]] bool leaves(std::uint32_t tensor, std::uint32_t node) const {
    const auto consumers = old_.consumers_of(tensor);
    return old_.kept[tensor] != 0 ||
           std::any_of(consumers.begin(), consumers.end(), [&](std::uint32_t op) { return lead(op) != node; });
  }

  void set_duration(std::uint32_t node, DeviceId device, Picoseconds compute, Bytes moved) {
    const auto column = static_cast<std::size_t>(problem_.device_class(device));
    flat_.durations[node * static_cast<std::size_t>(flat_.num_classes) + column] =
        fused_duration(problem_, device, compute, moved);
  }

  void count_waits() {
    flat_.num_waits.assign(flat_.num_nodes(), 0);
    for (std::uint32_t node = 0; node < flat_.num_nodes(); ++node) {
      flat_.num_waits[node] += static_cast<std::uint32_t>(flat_.inputs_of(node).size());
      for (const std::uint32_t after : flat_.control_of(node)) ++flat_.num_waits[after];
    }
  }

  void add_consumers() {
    flat_.consumer_begin.assign(flat_.num_tensors() + 1, 0);
    for (const std::uint32_t tensor : flat_.inputs) ++flat_.consumer_begin[tensor + 1];
    for (std::size_t i = 1; i < flat_.consumer_begin.size(); ++i)
      flat_.consumer_begin[i] += flat_.consumer_begin[i - 1];
    std::vector<std::uint32_t> next(flat_.consumer_begin.begin(), flat_.consumer_begin.end() - 1);
    flat_.consumers.resize(flat_.inputs.size());
    for (std::uint32_t node = 0; node < flat_.num_nodes(); ++node) {
      for (const std::uint32_t tensor : flat_.inputs_of(node)) flat_.consumers[next[tensor]++] = node;
    }
  }

  const Problem& problem_;
  const Plan& plan_;
  const FlatGraph& old_;
  std::vector<OpId> leader_;
  std::vector<std::vector<OpId>> groups_;
  std::vector<int> group_of_;  // of leaders
  FlatGraph flat_;
};

}  // namespace

void FlatGraph::find_sources() {
  for (std::uint32_t node = 0; node < num_nodes(); ++node) {
    if (num_waits[node] == 0 && storage[node] != Storage::kAbsent) sources.push_back(node);
  }
}

FlatGraph flatten(const Problem& problem) {
  const Graph& graph = problem.graph();
  FlatGraph flat;
  flat.num_classes = problem.num_device_classes();
  flat.input_begin.assign(1, 0);
  flat.output_begin.assign(1, 0);
  flat.control_begin.assign(1, 0);
  std::vector<DeviceId> of_class(static_cast<std::size_t>(flat.num_classes));
  for (const DeviceId id : problem.machine().device_ids())
    of_class[static_cast<std::size_t>(problem.device_class(id))] = id;
  for (const OpId op : graph.ops()) {
    const auto storage = storage_of(graph.role(op));
    flat.storage.push_back(storage);
    flat.num_waits.push_back(
        static_cast<std::uint32_t>(graph.distinct_inputs(op).size() + graph.control_inputs(op).size()));
    for (const TensorId tensor : graph.distinct_inputs(op)) flat.inputs.push_back(static_cast<std::uint32_t>(tensor));
    for (const OpId after : graph.control_outputs(op)) flat.control.push_back(static_cast<std::uint32_t>(after));
    Bytes own = 0;
    for (const TensorId tensor : graph.outputs(op)) {
      flat.outputs.push_back(static_cast<std::uint32_t>(tensor));
      if (storage == FlatGraph::Storage::kOwn) own += graph.bytes(tensor);
    }
    flat.output_bytes.push_back(own);
    flat.alias_of.push_back(storage == FlatGraph::Storage::kAlias ? static_cast<std::uint32_t>(graph.inputs(op).front())
                                                                  : kNoTensor);
    for (const DeviceId device : of_class) flat.durations.push_back(problem.duration(op, device));
    flat.input_begin.push_back(end_of(flat.inputs));
    flat.output_begin.push_back(end_of(flat.outputs));
    flat.control_begin.push_back(end_of(flat.control));
  }
  flat.find_sources();
  copy_tensors(graph, flat);
  flat.consumer_begin.assign(1, 0);
  for (const TensorId tensor : graph.tensors()) {
    for (const OpId consumer : graph.consumers(tensor)) flat.consumers.push_back(static_cast<std::uint32_t>(consumer));
    flat.consumer_begin.push_back(end_of(flat.consumers));
  }
  return flat;
}

FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused) {
  return Fuser(problem, plan, unfused).fuse();
}

}  // namespace berth
