// SPDX-License-Identifier: Apache-2.0
#include "graph/freeze.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <unordered_set>

#include "graph/builder.h"
#include "graph/structure_hash.h"

namespace berth {
namespace {

// Turns counts in begin[i + 1] into offsets.
void accumulate_offsets(std::vector<std::uint32_t>& begin) {
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
}

}  // namespace

Result<Graph> GraphBuilder::build() && {
  if (early_error_) return *early_error_;
  BERTH_RETURN_IF_ERROR(GraphFreezer(*this).freeze());
  return std::move(graph_);
}

Status GraphFreezer::freeze() {
  BERTH_RETURN_IF_ERROR(check_names());
  BERTH_RETURN_IF_ERROR(resolve_inputs());
  BERTH_RETURN_IF_ERROR(check_roles());
  BERTH_RETURN_IF_ERROR(resolve_updates());
  colocate();
  index_consumers();
  order_updates_after_readers();
  BERTH_RETURN_IF_ERROR(index_control_edges());
  BERTH_RETURN_IF_ERROR(sort_topologically());
  BERTH_RETURN_IF_ERROR(resolve_outputs());
  complete_costs();
  graph_.hash_ = structure_hash_of(graph_);
  return {};
}

Status GraphFreezer::check_names() const {
  std::unordered_set<std::string_view> seen;
  seen.reserve(graph_.num_ops());
  for (const OpId op : graph_.ops()) {
    if (!seen.insert(graph_.name(op)).second) return bad_input("two ops have the name '{}'", graph_.name(op));
  }
  return {};
}

Status GraphFreezer::resolve_inputs() {
  graph_.inputs_.reserve(builder_.raw_inputs_.size());
  graph_.distinct_input_begin_.assign(1, 0);
  for (const OpId op : graph_.ops()) {
    const auto row = Graph::row(builder_.raw_inputs_, graph_.input_begin_, index(op));
    for (const OutputRef& ref : row) {
      const std::size_t position = static_cast<std::size_t>(&ref - row.data());
      if (index(ref.op) >= graph_.num_ops()) {
        return bad_input("op '{}': input {} comes from op {}, but there are only {} ops", graph_.name(op), position,
                         index(ref.op), graph_.num_ops());
      }
      const auto outputs = graph_.outputs(ref.op);
      if (ref.output < 0 || static_cast<std::size_t>(ref.output) >= outputs.size()) {
        return bad_input("op '{}': input {} is output {} of '{}', which has {} outputs", graph_.name(op), position,
                         ref.output, graph_.name(ref.op), outputs.size());
      }
      graph_.inputs_.push_back(outputs[static_cast<std::size_t>(ref.output)]);
    }
    const auto first = static_cast<std::ptrdiff_t>(graph_.distinct_inputs_.size());
    const auto inputs = graph_.inputs(op);
    graph_.distinct_inputs_.insert(graph_.distinct_inputs_.end(), inputs.begin(), inputs.end());
    std::sort(graph_.distinct_inputs_.begin() + first, graph_.distinct_inputs_.end());
    graph_.distinct_inputs_.erase(std::unique(graph_.distinct_inputs_.begin() + first, graph_.distinct_inputs_.end()),
                                  graph_.distinct_inputs_.end());
    graph_.distinct_input_begin_.push_back(static_cast<std::uint32_t>(graph_.distinct_inputs_.size()));
  }
  std::vector<OutputRef>().swap(builder_.raw_inputs_);  // a million ops fit more easily without it
  return {};
}

Status GraphFreezer::check_roles() {
  for (const OpId op : graph_.ops()) {
    const Role role = graph_.role(op);
    if (role == Role::kView && graph_.inputs(op).empty()) {
      return bad_input("op '{}' is a view but has no input to look at", graph_.name(op));
    }
    if ((is_resident(role) || role == Role::kInput) && !graph_.inputs(op).empty()) {
      return bad_input("op '{}' has the role {} but also inputs", graph_.name(op), name_of(role));
    }
    if ((graph_.allowed_kinds(op) & kAnyKind) == 0)
      return bad_input("op '{}' is allowed on no kind of device", graph_.name(op));
    const OpId forward = graph_.forward_of(op);
    if (forward != kNoOp && index(forward) >= graph_.num_ops()) {
      return bad_input("op '{}' is the gradient of op {}, but there are only {} ops", graph_.name(op), index(forward),
                       graph_.num_ops());
    }
  }
  return {};
}

Status GraphFreezer::resolve_updates() {
  graph_.trained_.assign(graph_.num_ops(), 0);
  for (const OpId op : graph_.ops()) {
    const OpId parameter = graph_.updated_parameter(op);
    if (parameter == kNoOp) continue;
    if (index(parameter) >= graph_.num_ops() || graph_.role(parameter) != Role::kParameter) {
      return bad_input("op '{}' updates op {}, which is no parameter", graph_.name(op), index(parameter));
    }
    if (graph_.role(op) != Role::kCompute)
      return bad_input("op '{}' is an update but has no compute role", graph_.name(op));
    if (graph_.trained_[index(parameter)]++ != 0) {
      return bad_input("parameter '{}' has two update ops", graph_.name(parameter));
    }
  }
  return {};
}

DisjointSets GraphFreezer::colocated_sets() const {
  DisjointSets sets(graph_.num_ops());
  std::vector<OpId> first_of(graph_.colocation_names_.size(), kNoOp);
  for (const OpId op : graph_.ops()) {
    const auto id = static_cast<std::uint32_t>(op);
    if (const int group = graph_.colocation_group(op); group >= 0) {
      OpId& first = first_of[static_cast<std::size_t>(group)];
      if (first == kNoOp) first = op;
      sets.unite(static_cast<std::uint32_t>(first), id);
    }
    if (const OpId parameter = graph_.updated_parameter(op); parameter != kNoOp) {
      sets.unite(static_cast<std::uint32_t>(parameter), id);
    }
  }
  return sets;
}

// Ops of one named group, and updates with their parameters, end up in one group each, numbered by their lowest op. A
// group takes the name of its first named op; one without takes its lowest op's, marked where a named group has it.
void GraphFreezer::colocate() {
  DisjointSets sets = colocated_sets();
  std::vector<std::uint32_t> size(graph_.num_ops(), 0);  // both indexed by root
  std::vector<int> first_name(graph_.num_ops(), -1);
  for (const OpId op : graph_.ops()) {
    const std::uint32_t root = sets.root(static_cast<std::uint32_t>(op));
    ++size[root];
    if (first_name[root] < 0) first_name[root] = graph_.colocation_group(op);
  }
  std::unordered_set<std::string> taken(graph_.colocation_names_.begin(), graph_.colocation_names_.end());
  const auto name_group = [&](std::uint32_t root) {
    if (first_name[root] >= 0) return graph_.colocation_names_[static_cast<std::size_t>(first_name[root])];
    std::string name(graph_.name(OpId{root}));
    while (!taken.insert(name).second) name += '+';
    return name;
  };
  std::vector<std::string> names;
  std::vector<std::int32_t> groups(graph_.num_ops(), -1);
  for (const OpId op : graph_.ops()) {
    const std::uint32_t root = sets.root(static_cast<std::uint32_t>(op));
    if (size[root] == 1 && first_name[root] < 0) continue;
    if (root == static_cast<std::uint32_t>(op)) {  // the lowest member comes first
      groups[root] = static_cast<std::int32_t>(names.size());
      names.push_back(name_group(root));
    }
    groups[index(op)] = groups[root];
  }
  graph_.colocation_ = std::move(groups);
  graph_.colocation_names_ = std::move(names);
}

void GraphFreezer::index_consumers() {
  graph_.consumer_begin_.assign(graph_.num_tensors() + 1, 0);
  for (const TensorId tensor : graph_.distinct_inputs_) ++graph_.consumer_begin_[index(tensor) + 1];
  accumulate_offsets(graph_.consumer_begin_);
  graph_.consumers_.resize(graph_.distinct_inputs_.size());
  std::vector<std::uint32_t> next(graph_.consumer_begin_.begin(), graph_.consumer_begin_.end() - 1);
  for (const OpId op : graph_.ops()) {
    for (const TensorId tensor : graph_.distinct_inputs(op)) graph_.consumers_[next[index(tensor)]++] = op;
  }
  graph_.num_edges_ = graph_.consumers_.size();
}

// An update must not write before the last read. A view of the parameter reads nothing itself, so those who read
// through it are waited for instead (its other inputs it reads like any op); a reader that feeds the update needs no
// edge.
void GraphFreezer::order_updates_after_readers() {
  std::vector<TensorId> aliases;
  for (const OpId update : graph_.ops()) {
    const OpId parameter = graph_.updated_parameter(update);
    if (parameter == kNoOp) continue;
    const auto feeds_update = [&](OpId op) {
      const auto inputs = graph_.distinct_inputs(update);  // sorted, and so are their producers
      const auto first = std::lower_bound(inputs.begin(), inputs.end(), op, [&](TensorId tensor, OpId wanted) {
        return graph_.producer(tensor) < wanted;
      });
      return first != inputs.end() && graph_.producer(*first) == op;
    };
    const auto own = graph_.outputs(parameter);
    aliases.assign(own.begin(), own.end());
    for (std::size_t next = 0; next < aliases.size(); ++next) {
      for (const OpId reader : graph_.consumers(aliases[next])) {
        if (reader == update) continue;
        if (graph_.role(reader) == Role::kView && graph_.inputs(reader).front() == aliases[next]) {
          for (const TensorId alias : graph_.outputs(reader)) aliases.push_back(alias);
        } else if (!feeds_update(reader)) {
          builder_.control_edges_.push_back({reader, update});
        }
      }
    }
  }
}

Status GraphFreezer::index_control_edges() {
  auto& edges = builder_.control_edges_;
  for (const auto& edge : edges) {
    if (index(edge.before) >= graph_.num_ops() || index(edge.after) >= graph_.num_ops()) {
      return bad_input("a control edge leads from op {} to op {}, but there are only {} ops", index(edge.before),
                       index(edge.after), graph_.num_ops());
    }
  }
  const auto into_source = [&](const auto& edge) {
    return is_resident(graph_.role(edge.after)) || graph_.role(edge.after) == Role::kInput;
  };
  std::erase_if(edges, into_source);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  graph_.control_out_begin_.assign(graph_.num_ops() + 1, 0);
  graph_.control_in_begin_.assign(graph_.num_ops() + 1, 0);
  for (const auto& edge : edges) {
    ++graph_.control_out_begin_[index(edge.before) + 1];
    ++graph_.control_in_begin_[index(edge.after) + 1];
  }
  accumulate_offsets(graph_.control_out_begin_);
  accumulate_offsets(graph_.control_in_begin_);
  graph_.control_out_.reserve(edges.size());
  graph_.control_in_.resize(edges.size());
  std::vector<std::uint32_t> next(graph_.control_in_begin_.begin(), graph_.control_in_begin_.end() - 1);
  for (const auto& edge : edges) {  // sorted by (before, after), so both tables come out sorted
    graph_.control_out_.push_back(edge.after);
    graph_.control_in_[next[index(edge.after)]++] = edge.before;
  }
  return {};
}

Status GraphFreezer::sort_topologically() {
  std::vector<std::uint32_t> blocked_by(graph_.num_ops());
  std::priority_queue<OpId, std::vector<OpId>, std::greater<>> free;
  for (const OpId op : graph_.ops()) {
    blocked_by[index(op)] =
        static_cast<std::uint32_t>(graph_.distinct_inputs(op).size() + graph_.control_inputs(op).size());
    if (blocked_by[index(op)] == 0) free.push(op);
  }
  graph_.topological_.reserve(graph_.num_ops());
  const auto release = [&](OpId op) {
    if (--blocked_by[index(op)] == 0) free.push(op);
  };
  while (!free.empty()) {
    const OpId op = free.top();
    free.pop();
    graph_.topological_.push_back(op);
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId consumer : graph_.consumers(tensor)) release(consumer);
    }
    for (const OpId after : graph_.control_outputs(op)) release(after);
  }
  if (graph_.topological_.size() < graph_.num_ops()) return cycle_error(blocked_by);
  return {};
}

// Walks backwards among blocked ops until one repeats: everything walked since then is a cycle.
Error GraphFreezer::cycle_error(const std::vector<std::uint32_t>& blocked_by) const {
  const auto blocking = [&](OpId op) {
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      if (blocked_by[index(graph_.producer(tensor))] > 0) return graph_.producer(tensor);
    }
    for (const OpId before : graph_.control_inputs(op)) {
      if (blocked_by[index(before)] > 0) return before;
    }
    return op;
  };
  OpId op{};
  while (blocked_by[index(op)] == 0) op = OpId{static_cast<std::uint32_t>(op) + 1};
  std::vector<std::uint8_t> visited(graph_.num_ops(), 0);
  for (; visited[index(op)] == 0; op = blocking(op)) visited[index(op)] = 1;
  constexpr int kShown = 5;
  std::string names;
  OpId at = op;
  int length = 0;
  do {
    at = blocking(at);
    if (length++ < kShown) names = fmt::format("'{}' -> {}", graph_.name(at), names);
  } while (at != op);
  return bad_input("the graph has a cycle of {} op{}: {}{}'{}'", length, length == 1 ? "" : "s",
                   length > kShown ? "... -> " : "", names, graph_.name(op));
}

Status GraphFreezer::resolve_outputs() {
  graph_.is_output_.assign(graph_.num_tensors(), 0);
  const auto only_updates_read = [&](TensorId tensor) {
    const auto consumers = graph_.consumers(tensor);
    return !consumers.empty() && std::all_of(consumers.begin(), consumers.end(),
                                             [&](OpId op) { return graph_.updated_parameter(op) != kNoOp; });
  };
  for (const OutputRef& mark : builder_.output_marks_) {
    const bool exists = index(mark.op) < graph_.num_ops() && mark.output >= 0 &&
                        static_cast<std::size_t>(mark.output) < graph_.outputs(mark.op).size();
    if (!exists) return bad_input("the graph output ({}, {}) does not exist", index(mark.op), mark.output);
    const TensorId tensor = graph_.outputs(mark.op)[static_cast<std::size_t>(mark.output)];
    if (only_updates_read(tensor) || graph_.is_graph_output(tensor)) continue;
    graph_.is_output_[index(tensor)] = 1;
    graph_.graph_outputs_.push_back(tensor);
  }
  std::sort(graph_.graph_outputs_.begin(), graph_.graph_outputs_.end());
  return {};
}

void GraphFreezer::complete_costs() {
  for (const OpId op : graph_.ops()) {
    Bytes& touched = graph_.bytes_touched_[index(op)];
    if (touched >= 0) continue;
    touched = 0;
    for (const TensorId tensor : graph_.distinct_inputs(op)) touched += graph_.bytes(tensor);
    for (const TensorId tensor : graph_.outputs(op)) touched += graph_.bytes(tensor);
  }
  for (MeasuredTimes& table : graph_.measured_) table.seconds.resize(graph_.num_ops(), -1.0F);
  std::sort(graph_.measured_.begin(), graph_.measured_.end(),
            [](const MeasuredTimes& a, const MeasuredTimes& b) { return a.device_model < b.device_model; });
  if (graph_.source_nodes_ == kAsCounted) graph_.source_nodes_ = graph_.num_ops();
  if (graph_.source_edges_ == kAsCounted) graph_.source_edges_ = graph_.num_edges_;
}

}  // namespace berth
