// SPDX-License-Identifier: Apache-2.0
#include "plan/order/ranks.h"

#include <algorithm>
#include <bit>

#include "machine/device_set.h"
#include "plan/search/unloaded_times.h"

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

}  // namespace

std::vector<double> upward_ranks(const Problem& problem) {
  return ranks_from_sinks(problem.graph(), MeanCosts(problem));
}

std::vector<double> upward_ranks(const Problem& problem, const Plan& plan) {
  return ranks_from_sinks(problem.graph(), PlacedCosts(problem, plan));
}

std::vector<OpId> order_by_rank(const Problem& problem, std::span<const double> ranks) {
  const auto topological = problem.graph().topological_order();
  std::vector<OpId> order(topological.begin(), topological.end());
  std::ranges::stable_sort(order, std::greater<>(), [&](OpId op) { return ranks[index(op)]; });
  return order;
}

}  // namespace berth
