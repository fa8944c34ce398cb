// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/flat_graph.h"

#include <algorithm>

#include "problem/fusion.h"

namespace berth {
namespace {

std::uint32_t end_of(const HugeVector<std::uint32_t>& data) { return static_cast<std::uint32_t>(data.size()); }

// Sorts and keeps one of each from `first` to the end.
void unique_tail(HugeVector<std::uint32_t>& data, std::size_t first) {
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, data.end());
  data.erase(std::unique(begin, data.end()), data.end());
}

std::uint32_t looks_at(const Graph& graph, OpId op) {
  if (graph.role(op) == Role::kView) return static_cast<std::uint32_t>(graph.inputs(op).front());
  return is_resident(graph.role(op)) ? FlatGraph::kIsResident : FlatGraph::kOwnsOutputs;
}

std::uint32_t first_uses(const Graph& graph, TensorId tensor) {
  const Role role = graph.role(graph.producer(tensor));
  const std::uint32_t kept = graph.is_graph_output(tensor) ? 1 : 0;
  if (role == Role::kView) return kept | FlatGraph::kIsView;
  return is_resident(role) ? kept | FlatGraph::kForever : kept;
}

// A node whose rows begin where those written so far end.
FlatGraph::Node next_node(const FlatGraph& flat, std::uint32_t looks_at) {
  return {end_of(flat.outputs), end_of(flat.control), end_of(flat.inputs), looks_at};
}

void add_starts(const Problem& problem, FlatGraph& flat) {
  const Graph& graph = problem.graph();
  std::vector<DeviceId> of_class(flat.num_classes);
  for (const DeviceId id : problem.machine().device_ids()) {
    of_class[static_cast<std::size_t>(problem.device_class(id))] = id;
  }
  for (const DeviceId device : of_class) {
    for (const OpId op : graph.ops()) {
      Bytes own = 0;
      for (const TensorId tensor : graph.outputs(op)) own += graph.bytes(tensor);
      const bool owns = flat.nodes[index(op)].looks_at == FlatGraph::kOwnsOutputs;
      flat.starts.push_back({problem.duration(op, device), owns ? own : 0});
    }
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
    flat_.tensors = old_.tensors;
    flat_.starts = old_.starts;
    gather_members();
    flat_.nodes.reserve(old_.nodes.size());
    for (std::uint32_t node = 0; node < old_.num_nodes(); ++node) add_node(node);
    flat_.nodes.push_back(next_node(flat_, FlatGraph::kIsAbsent));
    count_waits();
    flat_.finish();
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
    if (group_of_[node] >= 0) return add_group(node, groups_[static_cast<std::size_t>(group_of_[node])]);
    const bool absent = lead(node) != node;
    flat_.nodes.push_back(next_node(flat_, absent ? FlatGraph::kIsAbsent : old_.nodes[node].looks_at));
    if (absent) return;
    append(flat_.inputs, old_.inputs_of(node));
    append(flat_.outputs, old_.outputs_of(node));
    const std::size_t first = flat_.control.size();
    for (const std::uint32_t after : old_.control_of(node)) flat_.control.push_back(lead(after));
    unique_tail(flat_.control, first);
  }

  static void append(HugeVector<std::uint32_t>& to, std::span<const std::uint32_t> from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void add_group(std::uint32_t node, const std::vector<OpId>& members) {
    flat_.nodes.push_back(next_node(flat_, FlatGraph::kOwnsOutputs));
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
        flat_.tensors[tensor].first_uses = old_.is_kept(tensor) ? 1 : 0;  // also that of a view
        allocated += old_.bytes(tensor);
      }
      for (const std::uint32_t after : old_.control_of(op)) {
        if (lead(after) != node) flat_.control.push_back(lead(after));
      }
    }
    unique_tail(flat_.inputs, first_input);
    unique_tail(flat_.control, first_control);
    for (std::size_t i = first_input; i < flat_.inputs.size(); ++i) moved += old_.bytes(flat_.inputs[i]);
    set_start(node, device, {fused_duration(problem_, device, compute, moved + allocated), allocated});
  }

  [[nodiscard]] bool leaves(std::uint32_t tensor, std::uint32_t node) const {
    const auto consumers = old_.consumers_of(tensor);
    return old_.is_kept(tensor) ||
           std::any_of(consumers.begin(), consumers.end(), [&](std::uint32_t op) { return lead(op) != node; });
  }

  // On other classes of devices it never runs.
  void set_start(std::uint32_t node, DeviceId device, FlatGraph::Start start) {
    for (std::size_t i = node; i < flat_.starts.size(); i += old_.num_nodes()) flat_.starts[i].bytes = start.bytes;
    flat_.starts[static_cast<std::size_t>(problem_.device_class(device)) * old_.num_nodes() + node] = start;
  }

  void count_waits() {
    flat_.num_waits.assign(old_.num_nodes(), 0);
    for (std::uint32_t node = 0; node < flat_.num_nodes(); ++node) {
      flat_.num_waits[node] += static_cast<std::uint32_t>(flat_.inputs_of(node).size());
      for (const std::uint32_t after : flat_.control_of(node)) ++flat_.num_waits[after];
    }
  }

  void add_consumers() {
    for (FlatGraph::Tensor& tensor : flat_.tensors) tensor.consumer_begin = 0;
    for (const std::uint32_t tensor : flat_.inputs) ++flat_.tensors[tensor + 1].consumer_begin;
    std::vector<std::uint32_t> next(flat_.num_tensors());
    for (std::size_t i = 0; i < flat_.num_tensors(); ++i) {
      next[i] = flat_.tensors[i].consumer_begin;
      flat_.tensors[i + 1].consumer_begin += next[i];
    }
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

FlatGraph::Storage FlatGraph::storage(std::uint32_t node) const {
  switch (nodes[node].looks_at) {
    case kOwnsOutputs:
      return Storage::kOwn;
    case kIsResident:
      return Storage::kResident;
    case kIsAbsent:
      return Storage::kAbsent;
    default:
      return Storage::kAlias;
  }
}

void FlatGraph::finish() {
  for (std::uint32_t node = 0; node < num_nodes(); ++node) {
    if (num_waits[node] == 0 && nodes[node].looks_at != kIsAbsent) sources.push_back(node);
    std::size_t timeless = 0;
    for (std::size_t i = node; i < starts.size(); i += num_nodes()) timeless += starts[i].duration == 0 ? 1 : 0;
    words.push_back(num_waits[node] * kOneWait + (timeless == num_classes ? kTimeless : 0));
    if (timeless > 0 && timeless < num_classes) now_and_then_timeless.push_back(node);
  }
}

FlatGraph flatten(const Problem& problem) {
  const Graph& graph = problem.graph();
  FlatGraph flat;
  flat.num_classes = static_cast<std::size_t>(problem.num_device_classes());
  for (const OpId op : graph.ops()) {
    flat.nodes.push_back(next_node(flat, looks_at(graph, op)));
    flat.num_waits.push_back(
        static_cast<std::uint32_t>(graph.distinct_inputs(op).size() + graph.control_inputs(op).size()));
    for (const TensorId tensor : graph.distinct_inputs(op)) flat.inputs.push_back(static_cast<std::uint32_t>(tensor));
    for (const OpId after : graph.control_outputs(op)) flat.control.push_back(static_cast<std::uint32_t>(after));
    for (const TensorId tensor : graph.outputs(op)) flat.outputs.push_back(static_cast<std::uint32_t>(tensor));
  }
  flat.nodes.push_back(next_node(flat, FlatGraph::kIsAbsent));
  add_starts(problem, flat);
  flat.finish();
  for (const TensorId tensor : graph.tensors()) {
    flat.producer.push_back(static_cast<std::uint32_t>(graph.producer(tensor)));
    flat.tensors.push_back({end_of(flat.consumers), first_uses(graph, tensor), graph.bytes(tensor)});
    for (const OpId consumer : graph.consumers(tensor)) flat.consumers.push_back(static_cast<std::uint32_t>(consumer));
  }
  flat.tensors.push_back({end_of(flat.consumers), 0, 0});
  return flat;
}

FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused) {
  return Fuser(problem, plan, unfused).fuse();
}

}  // namespace berth
