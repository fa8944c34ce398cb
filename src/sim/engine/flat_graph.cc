// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/flat_graph.h"

#include <algorithm>

#include "problem/fusion.h"

namespace berth {
namespace {

using Ids = HugeVector<std::uint32_t>;

std::uint32_t end_of(const Ids& data) { return static_cast<std::uint32_t>(data.size()); }

// Sorts and keeps one of each from `first` to the end.
void unique_tail(Ids& data, std::size_t first) {
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, data.end());
  data.erase(std::unique(begin, data.end()), data.end());
}

// Lists behind one another.
struct Rows {
  Ids begin{0}, items;
  void end_row() { begin.push_back(end_of(items)); }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {items.data() + begin[row], items.data() + begin[row + 1]};
  }
  void append(std::span<const std::uint32_t> more) { items.insert(items.end(), more.begin(), more.end()); }
};

// Writes the script of a graph that is known node by node. Starts, producers and bytes are there already.
class ScriptWriter {
 public:
  explicit ScriptWriter(FlatGraph& flat) : flat_(flat) {}

  Ids looks_at;                   // per node
  Rows outputs, control, inputs;  // per node
  Ids first_uses;                 // per tensor

  void write() {
    find_readers();
    const std::size_t nodes = looks_at.size();
    flat_.tensor_begin.resize(flat_.producer.size());
    flat_.node_begin.reserve(nodes);
    flat_.script.reserve(4 * nodes + 3 * outputs.items.size() + control.items.size() + 2 * inputs.items.size());
    for (std::uint32_t node = 0; node < nodes; ++node) write_node(node);
    count_waits();
    find_sources();
  }

 private:
  void find_readers() {
    const std::size_t tensors = flat_.producer.size();
    readers_.begin.assign(tensors + 1, 0);
    for (const std::uint32_t tensor : inputs.items) ++readers_.begin[tensor + 1];
    for (std::size_t i = 1; i <= tensors; ++i) readers_.begin[i] += readers_.begin[i - 1];
    readers_.items.resize(inputs.items.size());
    Ids next(readers_.begin.begin(), readers_.begin.end() - 1);
    for (std::uint32_t node = 0; node < looks_at.size(); ++node) {
      for (const std::uint32_t tensor : inputs[node]) readers_.items[next[tensor]++] = node;
    }
  }

  void write_node(std::uint32_t node) {
    flat_.node_begin.push_back(end_of(flat_.script));
    flat_.script.push_back(looks_at[node]);
    flat_.script.push_back(static_cast<std::uint32_t>(outputs[node].size()));
    for (const std::uint32_t tensor : outputs[node]) {
      flat_.tensor_begin[tensor] = end_of(flat_.script);
      flat_.script.push_back(tensor);
      flat_.script.push_back(first_uses[tensor]);
      write_list(readers_[tensor]);
    }
    write_list(control[node]);
    write_list(inputs[node]);
  }

  void write_list(std::span<const std::uint32_t> list) {
    flat_.script.push_back(static_cast<std::uint32_t>(list.size()));
    flat_.script.insert(flat_.script.end(), list.begin(), list.end());
  }

  void count_waits() {
    flat_.num_waits.assign(looks_at.size(), 0);
    for (std::uint32_t node = 0; node < looks_at.size(); ++node) {
      flat_.num_waits[node] += static_cast<std::uint32_t>(inputs[node].size());
    }
    for (const std::uint32_t after : control.items) ++flat_.num_waits[after];
  }

  void find_sources() {
    for (std::uint32_t node = 0; node < looks_at.size(); ++node) {
      if (flat_.num_waits[node] == 0 && looks_at[node] != FlatGraph::kIsAbsent) flat_.sources.push_back(node);
    }
  }

  FlatGraph& flat_;
  Rows readers_;  // per tensor
};

std::uint32_t what_it_looks_at(const Graph& graph, OpId op) {
  if (graph.role(op) == Role::kView) return static_cast<std::uint32_t>(graph.inputs(op).front());
  return is_resident(graph.role(op)) ? FlatGraph::kIsResident : FlatGraph::kOwnsOutputs;
}

std::uint32_t first_uses_of(const Graph& graph, TensorId tensor) {
  const Role role = graph.role(graph.producer(tensor));
  const std::uint32_t kept = graph.is_graph_output(tensor) ? 1 : 0;
  if (role == Role::kView) return kept | FlatGraph::kIsView;
  return is_resident(role) ? kept | FlatGraph::kForever : kept;
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
      const bool owns = what_it_looks_at(graph, op) == FlatGraph::kOwnsOutputs;
      flat.starts.push_back({problem.duration(op, device), owns ? own : 0});
    }
  }
}

// Draws groups together. Nodes are written anew in id order; members other than leaders do nothing.
class Fuser {
 public:
  Fuser(const Problem& problem, const Plan& plan, const FlatGraph& unfused)
      : problem_(problem), plan_(plan), old_(unfused), leader_(fusion_leaders(problem.graph(), plan)), writer_(flat_) {}

  FlatGraph fuse() {
    flat_.num_classes = old_.num_classes;
    flat_.producer = old_.producer;
    flat_.bytes = old_.bytes;
    flat_.starts = old_.starts;
    writer_.first_uses.resize(old_.num_tensors());
    gather_members();
    for (std::uint32_t node = 0; node < old_.num_nodes(); ++node) {
      add_node(node);
      writer_.outputs.end_row();
      writer_.control.end_row();
      writer_.inputs.end_row();
    }
    writer_.write();
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
    writer_.looks_at.push_back(absent ? FlatGraph::kIsAbsent : old_.looks_at(node));
    if (absent) return set_start(node, {0, 0});
    writer_.inputs.append(old_.inputs_of(node));
    for (const std::uint32_t tensor : old_.outputs_of(node)) {
      writer_.outputs.items.push_back(tensor);
      writer_.first_uses[tensor] = old_.first_uses(tensor);
    }
    const std::size_t first = writer_.control.items.size();
    for (const std::uint32_t after : old_.control_of(node)) writer_.control.items.push_back(lead(after));
    unique_tail(writer_.control.items, first);
  }

  void add_group(std::uint32_t node, const std::vector<OpId>& members) {
    writer_.looks_at.push_back(FlatGraph::kOwnsOutputs);
    Ids &inputs = writer_.inputs.items, &control = writer_.control.items;
    const std::size_t first_input = inputs.size(), first_control = control.size();
    Bytes moved = 0, allocated = 0;
    Picoseconds compute = 0;
    const DeviceId device = plan_.device(OpId{node});
    for (const OpId member : members) {
      const auto op = static_cast<std::uint32_t>(member);
      compute += problem_.compute_part(member, device);
      for (const std::uint32_t tensor : old_.inputs_of(op)) {
        if (lead_of_producer(tensor) != node) inputs.push_back(tensor);
      }
      for (const std::uint32_t tensor : old_.outputs_of(op)) {
        if (!leaves(tensor, node)) continue;
        writer_.outputs.items.push_back(tensor);
        writer_.first_uses[tensor] = old_.is_kept(tensor) ? 1 : 0;  // also that of a view
        allocated += old_.bytes[tensor];
      }
      for (const std::uint32_t after : old_.control_of(op)) {
        if (lead(after) != node) control.push_back(lead(after));
      }
    }
    unique_tail(inputs, first_input);
    unique_tail(control, first_control);
    for (std::size_t i = first_input; i < inputs.size(); ++i) moved += old_.bytes[inputs[i]];
    // On other classes of devices it never runs.
    set_start(node, {fused_duration(problem_, device, compute, moved + allocated), allocated});
  }

  [[nodiscard]] bool leaves(std::uint32_t tensor, std::uint32_t node) const {
    const auto consumers = old_.consumers_of(tensor);
    return old_.is_kept(tensor) ||
           std::any_of(consumers.begin(), consumers.end(), [&](std::uint32_t op) { return lead(op) != node; });
  }

  void set_start(std::uint32_t node, FlatGraph::Start start) {
    for (std::size_t i = node; i < flat_.starts.size(); i += old_.num_nodes()) flat_.starts[i] = start;
  }

  const Problem& problem_;
  const Plan& plan_;
  const FlatGraph& old_;
  std::vector<OpId> leader_;
  std::vector<std::vector<OpId>> groups_;
  std::vector<int> group_of_;  // of leaders
  FlatGraph flat_;
  ScriptWriter writer_;
};

}  // namespace

FlatGraph::Storage FlatGraph::storage(std::uint32_t node) const {
  switch (looks_at(node)) {
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

std::span<const std::uint32_t> FlatGraph::control_of(std::uint32_t node) const {
  const std::uint32_t* at = &script[node_begin[node] + 1];
  std::uint32_t outputs = *at++;
  for (; outputs > 0; --outputs) at += 3 + at[2];
  return list(at);
}

std::span<const std::uint32_t> FlatGraph::inputs_of(std::uint32_t node) const {
  const auto control = control_of(node);
  return list(control.data() + control.size());
}

FlatGraph flatten(const Problem& problem) {
  const Graph& graph = problem.graph();
  FlatGraph flat;
  ScriptWriter writer(flat);
  flat.num_classes = static_cast<std::size_t>(problem.num_device_classes());
  add_starts(problem, flat);
  for (const TensorId tensor : graph.tensors()) {
    flat.producer.push_back(static_cast<std::uint32_t>(graph.producer(tensor)));
    flat.bytes.push_back(graph.bytes(tensor));
    writer.first_uses.push_back(first_uses_of(graph, tensor));
  }
  const auto fill = [](Rows& rows, const auto& ids) {
    for (const auto id : ids) rows.items.push_back(static_cast<std::uint32_t>(id));
    rows.end_row();
  };
  for (const OpId op : graph.ops()) {
    writer.looks_at.push_back(what_it_looks_at(graph, op));
    fill(writer.outputs, graph.outputs(op));
    fill(writer.control, graph.control_outputs(op));
    fill(writer.inputs, graph.distinct_inputs(op));
  }
  writer.write();
  return flat;
}

FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused) {
  return Fuser(problem, plan, unfused).fuse();
}

}  // namespace berth
