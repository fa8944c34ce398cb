// SPDX-License-Identifier: Apache-2.0
#include "plan/order/bottom_levels.h"

#include <algorithm>

#include "plan/order/ranks.h"
#include "plan/search/unloaded_times.h"
#include "problem/fusion.h"

namespace berth {
namespace {

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

std::vector<double> bottom_levels(const Problem& problem, const Plan& plan) {
  return plan.fusions.empty() ? upward_ranks(problem, plan) : FusedLevels(problem, plan).find();
}

}  // namespace berth
