// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/condensed.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <ranges>
#include <utility>

#include "graph/builder.h"
#include "machine/device_set.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr double kShortShare = 1e-4;  // of the work of a device

// Makes the graph of the clusters, and all that a problem needs besides.
class Condenser {
 public:
  Condenser(const Problem& whole, const OpClusters& clusters)
      : whole_(whole),
        graph_(whole.graph()),
        clusters_(clusters),
        cluster_(clusters.of),
        op_of_(graph_.num_ops(), kNoOp),
        output_(graph_.num_tensors(), -1),
        members_(graph_.num_ops()) {}

  // An error where times are beyond the clock.
  Result<Problem> run() {
    find_shown();
    leave_out_inner_views();
    number_ops();
    list_outputs();
    GraphBuilder builder(graph_.title());
    builder.reserve(first_.size());
    builder.set_optimizer(graph_.optimizer());
    for (const OpId head : first_) add(builder, head);
    for (const TensorId tensor : graph_.graph_outputs()) builder.mark_output(reference(tensor));
    BERTH_TRY(Graph graph, std::move(builder).build());
    const std::shared_ptr<const Machine> machine(std::shared_ptr<void>(), &whole_.machine());  // not ours
    return make_problem(std::make_shared<const Graph>(std::move(graph)), machine, costs(), constraints());
  }

  std::vector<OpId> op_of() && { return std::move(op_of_); }

 private:
  [[nodiscard]] OpId cluster(OpId op) const { return cluster_[index(op)]; }
  [[nodiscard]] TensorId source(TensorId tensor) const { return clusters_.source[index(tensor)]; }

  void find_shown() {
    shown_.assign(graph_.num_ops(), kNoOp);
    for (const OpId op : graph_.topological_order()) {
      if (graph_.role(op) != Role::kView) continue;
      const OpId behind = graph_.producer(source(graph_.inputs(op).front()));
      const bool is_view = graph_.role(behind) == Role::kView;
      shown_[index(op)] = is_view ? shown_[index(behind)] : clusters_.cluster(behind);
    }
  }

  // A view that nobody reads outside the cluster that it shows is a matter of that cluster.
  void leave_out_inner_views() {
    for (const OpId op : graph_.topological_order() | std::views::reverse) {
      if (graph_.role(op) != Role::kView || clusters_.is_elided(op)) continue;
      if (graph_.distinct_inputs(op).size() != 1 || !graph_.control_inputs(op).empty()) continue;
      if (!graph_.control_outputs(op).empty() || whole_.unit_ops(whole_.unit(op)).size() > 1) continue;
      const OpId shown = shown_[index(op)];
      if (!is_read_outside(op, shown)) cluster_[index(op)] = kNoOp;
    }
  }
  [[nodiscard]] bool is_read_outside(OpId op, OpId inside) const {
    std::vector<OpId> open{op};  // a file may chain any number of views
    while (!open.empty()) {
      const OpId view = open.back();
      open.pop_back();
      for (const TensorId tensor : graph_.outputs(view)) {
        if (graph_.is_graph_output(tensor)) return true;
        for (const OpId reader : graph_.consumers(tensor)) {
          if (clusters_.is_elided(reader)) {
            open.push_back(reader);
          } else if (cluster(reader) != kNoOp && cluster(reader) != inside) {
            return true;
          }
        }
      }
    }
    return false;
  }

  void number_ops() {
    for (const OpId op : graph_.ops()) {
      const OpId head = cluster(op);
      if (head == kNoOp) continue;
      if (members_[index(head)].empty()) {
        op_of_[index(head)] = static_cast<OpId>(first_.size());
        first_.push_back(head);
      }
      members_[index(head)].push_back(op);
    }
    for (const OpId op : graph_.ops()) {
      if (cluster(op) != kNoOp) op_of_[index(op)] = op_of_[index(cluster(op))];
    }
  }

  // Whether a cluster needs this tensor from outside.
  [[nodiscard]] bool comes_from_outside(OpId op, TensorId tensor) const {
    const OpId producer = graph_.producer(source(tensor));
    if (graph_.role(op) != Role::kView && graph_.role(producer) == Role::kView) {
      return shown_[index(producer)] != cluster(op) && cluster(producer) != cluster(op);
    }
    return cluster(producer) != cluster(op);
  }

  void list_outputs() {
    std::vector<bool> leaves(graph_.num_tensors());
    for (const TensorId tensor : graph_.graph_outputs()) leaves[index(tensor)] = true;
    for (const OpId op : graph_.ops()) {
      if (cluster(op) == kNoOp) continue;
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        if (comes_from_outside(op, tensor)) leaves[index(source(tensor))] = true;
      }
    }
    for (const OpId head : first_) {
      int next = 0;
      for (const OpId op : members_[index(head)]) {
        for (const TensorId tensor : graph_.outputs(op)) {
          if (leaves[index(tensor)]) output_[index(tensor)] = next++;
        }
      }
    }
  }

  [[nodiscard]] OutputRef reference(TensorId tensor) const {
    return {op_of_[index(graph_.producer(tensor))], output_[index(tensor)]};
  }

  void add(GraphBuilder& builder, OpId head) const {
    OpSpec spec{.name = graph_.name(head),
                .type = graph_.type(head),
                .role = graph_.role(head),
                .module = graph_.module(head),
                .label = graph_.label(head)};
    for (const OpId op : members_[index(head)]) {
      for (const TensorId tensor : graph_.inputs(op)) {
        if (comes_from_outside(op, tensor)) spec.inputs.push_back(reference(source(tensor)));
      }
      for (const OpId before : graph_.control_inputs(op)) {
        if (cluster(before) != kNoOp && cluster(before) != head) spec.control_inputs.push_back(op_of_[index(before)]);
      }
      for (const TensorId tensor : graph_.outputs(op)) {
        if (output_[index(tensor)] < 0) continue;
        const auto shape = graph_.shape(tensor);
        spec.outputs.push_back({graph_.dtype(tensor), {shape.begin(), shape.end()}});
      }
    }
    if (graph_.updated_parameter(head) != kNoOp) spec.updates = op_of_[index(graph_.updated_parameter(head))];
    builder.add(spec);
  }

  [[nodiscard]] ExplicitCosts costs() const {
    ExplicitCosts costs;
    for (const OpId head : first_) {
      std::vector<double>& times = costs.time_s.emplace_back();
      for (const DeviceId device : whole_.machine().device_ids()) {
        Picoseconds time = 0;
        for (const OpId op : members_[index(head)]) time += whole_.duration(op, device);
        times.push_back((whole_.runnable(head) & device_bit(device)) != 0 ? to_seconds(time) : -1.0);
      }
    }
    return costs;
  }

  [[nodiscard]] Constraints constraints() const {
    Constraints constraints;
    constraints.inputs_on_first_cpu = false;
    constraints.reserve = whole_.constraints().reserve;
    for (const OpId head : first_) constraints.allowed.push_back(whole_.allowed(head));
    for (std::uint32_t unit = 0; unit < whole_.num_units(); ++unit) {
      std::vector<OpId> together;
      for (const OpId op : whole_.unit_ops(unit)) {
        if (cluster(op) != kNoOp) together.push_back(op_of_[index(op)]);
      }
      if (together.size() > 1) constraints.together.push_back(std::move(together));
    }
    return constraints;
  }

  const Problem& whole_;
  const Graph& graph_;
  const OpClusters& clusters_;
  std::vector<OpId> cluster_;  // as clusters_ has it, but none for inner views
  std::vector<OpId> shown_;    // by view: the cluster that it shows something of; kNoOp: there from the start
  std::vector<OpId> op_of_;
  std::vector<int> output_;  // of its condensed op, indexed by TensorId; -1: stays inside
  std::vector<std::vector<OpId>> members_;
  std::vector<OpId> first_;  // heads, in the order of their condensed ops
};

}  // namespace

Condensed::Condensed(const Problem& whole, OpClusters clusters, std::vector<OpId> op_of, Problem problem)
    : whole_(&whole), clusters_(std::move(clusters)), op_of_(std::move(op_of)), problem_(std::move(problem)) {}

std::optional<Condensed> Condensed::make(const Problem& whole, Picoseconds short_op) {
  if (whole.objective() != Objective::kStep || has_limits(whole)) return std::nullopt;
  OpClusters clusters = cluster_short_ops(whole, short_op);
  Condenser condenser(whole, clusters);
  Result<Problem> problem = condenser.run();
  if (!problem) return std::nullopt;
  return Condensed(whole, std::move(clusters), std::move(condenser).op_of(), *std::move(problem));
}

Plan Condensed::condense(const Plan& whole) const {
  Plan plan;
  const std::size_t ops = problem_->graph().num_ops();
  plan.device_of.resize(ops);
  if (!whole.priority.empty()) plan.priority.resize(ops);
  for (const OpId op : whole_->graph().ops()) {
    if (clusters_.cluster(op) != op || op_of_[index(op)] == kNoOp) continue;
    plan.device_of[index(op_of_[index(op)])] = whole.device(op);
    if (!whole.priority.empty()) plan.priority[index(op_of_[index(op)])] = whole.priority[index(op)];
  }
  return plan;
}

// With those that read it if they are on one device, else with what it shows.
DeviceId Condensed::device_of_view(OpId view, const Plan& plan) const {
  const Graph& graph = whole_->graph();
  DeviceSet readers = 0;
  for (const TensorId shown : graph.outputs(view)) {
    for (const OpId reader : graph.consumers(shown)) readers |= device_bit(plan.device(reader));
  }
  readers &= whole_->allowed(view);
  if (std::popcount(readers) == 1) return DeviceId(std::countr_zero(readers));
  const DeviceId home = plan.device(graph.producer(graph.inputs(view).front()));
  return allowed_or_fallback(*whole_, whole_->unit(view), home);
}

// Views that have no op of their own are with what they show, for now.
Plan Condensed::put_clusters(const Plan& condensed) const {
  const Graph& graph = whole_->graph();
  Plan plan;
  plan.device_of.resize(graph.num_ops());
  const bool has_order = !condensed.priority.empty();
  if (has_order) plan.priority.resize(graph.num_ops());
  // What has joined an op is short, and runs as soon as it can, as it does in the cluster.
  const double above_all = has_order ? std::ranges::max(condensed.priority) + 1.0 : 0.0;
  for (const OpId op : graph.topological_order()) {
    const OpId own = op_of_[index(op)];
    const OpId shown = own == kNoOp ? graph.producer(graph.inputs(op).front()) : kNoOp;
    plan.device_of[index(op)] = own == kNoOp ? plan.device(shown) : condensed.device(own);
    if (!has_order) continue;
    const double later = clusters_.cluster(op) == op ? 0.0 : above_all;
    plan.priority[index(op)] = own == kNoOp ? plan.priority_of(shown) : condensed.priority_of(own) + later;
  }
  return plan;
}

Plan Condensed::expand(const Plan& condensed) const {
  Plan plan = put_clusters(condensed);
  for (const OpId op : whole_->graph().topological_order() | std::views::reverse) {
    if (op_of_[index(op)] == kNoOp) plan.device_of[index(op)] = device_of_view(op, plan);
  }
  return plan;
}

Picoseconds hardly_any_time(const Problem& problem) {
  Picoseconds work = 0;
  for (const OpId op : problem.graph().ops()) work += least_time(problem, op);
  return static_cast<Picoseconds>(kShortShare * static_cast<double>(work) /
                                  static_cast<double>(worker_devices(problem).size()));
}

}  // namespace berth
