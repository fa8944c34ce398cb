// SPDX-License-Identifier: Apache-2.0
#include "plan/order/ranks.h"

#include <algorithm>
#include <bit>

#include "machine/device_set.h"
#include "plan/search/unloaded_times.h"
#include "problem/fusion.h"

namespace berth {
namespace {

// Costs: own(op), data(tensor, consumer), control(from, to), in picoseconds.
template <typename Costs>
std::vector<double> ranks_from_sinks(const Graph& graph, const Costs& costs) {
  std::vector<double> ranks(graph.num_ops(), 0.0);
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    double behind = 0.0;
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId to : graph.consumers(tensor)) {
        behind = std::max(behind, costs.data(tensor, to) + ranks[index(to)]);
      }
    }
    for (const OpId to : graph.control_outputs(*op)) {
      behind = std::max(behind, costs.control(*op, to) + ranks[index(to)]);
    }
    ranks[index(*op)] = costs.own(*op) + behind;
  }
  return ranks;
}

class MeanCosts {
 public:
  explicit MeanCosts(const Problem& problem) : problem_(problem), route_(problem) {}

  [[nodiscard]] double own(OpId op) const {
    double sum = 0.0;
    const DeviceSet allowed = problem_.allowed(op);
    for (DeviceSet set = allowed; set != 0; set &= set - 1) {
      sum += static_cast<double>(problem_.duration(op, lowest_device(set)));
    }
    return sum / std::popcount(allowed);
  }
  [[nodiscard]] double data(TensorId tensor, OpId to) const {
    const Graph& graph = problem_.graph();
    return graph.role(to) == Role::kView ? 0.0 : route_.transfer_time(graph.bytes(tensor));
  }
  [[nodiscard]] double control(OpId, OpId) const { return route_.control_latency(); }

 private:
  const Problem& problem_;
  MeanRoute route_;
};

class PlacedCosts {
 public:
  PlacedCosts(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

  [[nodiscard]] double own(OpId op) const { return static_cast<double>(problem_.duration(op, plan_.device(op))); }
  [[nodiscard]] double data(TensorId tensor, OpId to) const {
    const DeviceId source = plan_.device(problem_.graph().producer(tensor)), target = plan_.device(to);
    if (source == target) return 0.0;
    return static_cast<double>(unloaded_transfer_time(problem_, problem_.graph().bytes(tensor), source, target));
  }
  [[nodiscard]] double control(OpId from, OpId to) const {
    return static_cast<double>(problem_.control_latency(plan_.device(from), plan_.device(to)));
  }

 private:
  const Problem& problem_;
  const Plan& plan_;
};

// The graph with every group drawn together into its leader, taken apart from its end.
class FusedLevels {
 public:
  FusedLevels(const Problem& problem, const Plan& plan)
      : problem_(problem),
        graph_(problem.graph()),
        plan_(plan),
        leader_(fusion_leaders(graph_, plan)),
        group_of_(graph_.num_ops(), kAlone),
        waits_(graph_.num_ops(), 0),
        levels_(graph_.num_ops(), 0.0) {
    for (std::size_t i = 0; i < plan.fusions.size(); ++i) {
      group_of_[index(lead(plan.fusions[i].front()))] = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<double> find() {
    for (const OpId op : graph_.ops()) {
      for_each_before(op, [&](OpId before, double) { ++waits_[index(lead(before))]; });
    }
    for (const OpId op : graph_.ops()) {
      if (lead(op) == op && waits_[index(op)] == 0) free_.push_back(op);
    }
    for (std::size_t next = 0; next < free_.size(); ++next) take_out(free_[next]);
    for (const OpId op : graph_.ops()) levels_[index(op)] = levels_[index(lead(op))];
    return std::move(levels_);
  }

 private:
  static constexpr std::uint32_t kAlone = 0xffffffffU;

  [[nodiscard]] OpId lead(OpId op) const { return leader_[index(op)]; }

  // Calls visit(op, delay) for everything outside its group that the op waits for.
  template <typename Visit>
  void for_each_before(OpId op, const Visit& visit) const {
    const DeviceId here = plan_.device(op);
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      const OpId before = graph_.producer(tensor);
      if (lead(before) == lead(op)) continue;
      const DeviceId there = plan_.device(before);
      const Picoseconds delay = here == there ? 0 : unloaded_transfer_time(problem_, graph_.bytes(tensor), there, here);
      visit(before, static_cast<double>(delay));
    }
    for (const OpId before : graph_.control_inputs(op)) {
      if (lead(before) == lead(op)) continue;
      visit(before, static_cast<double>(problem_.control_latency(plan_.device(before), here)));
    }
  }

  // So far the level of a node is what lies behind it.
  void take_out(OpId node) {
    const std::uint32_t group = group_of_[index(node)];
    const DeviceId device = plan_.device(node);
    const Picoseconds own =
        group == kAlone ? problem_.duration(node, device) : fused_duration(problem_, device, plan_.fusions[group]);
    levels_[index(node)] += static_cast<double>(own);
    const auto release = [&](OpId before, double delay) {
      const std::size_t to = index(lead(before));
      levels_[to] = std::max(levels_[to], levels_[index(node)] + delay);
      if (--waits_[to] == 0) free_.push_back(lead(before));
    };
    if (group == kAlone) return for_each_before(node, release);
    for (const OpId op : plan_.fusions[group]) for_each_before(op, release);
  }

  const Problem& problem_;
  const Graph& graph_;
  const Plan& plan_;
  std::vector<OpId> leader_;
  std::vector<std::uint32_t> group_of_;  // of leaders
  std::vector<std::uint32_t> waits_;     // of leaders: edges to nodes that are not out yet
  std::vector<double> levels_;
  std::vector<OpId> free_;
};

}  // namespace

std::vector<double> upward_ranks(const Problem& problem) {
  return ranks_from_sinks(problem.graph(), MeanCosts(problem));
}

std::vector<double> upward_ranks(const Problem& problem, const Plan& plan) {
  return ranks_from_sinks(problem.graph(), PlacedCosts(problem, plan));
}

std::vector<double> bottom_levels(const Problem& problem, const Plan& plan) {
  return plan.fusions.empty() ? upward_ranks(problem, plan) : FusedLevels(problem, plan).find();
}

std::vector<OpId> order_by_rank(const Problem& problem, std::span<const double> ranks) {
  const auto topological = problem.graph().topological_order();
  std::vector<OpId> order(topological.begin(), topological.end());
  std::ranges::stable_sort(order, std::greater<>(), [&](OpId op) { return ranks[index(op)]; });
  return order;
}

}  // namespace berth
