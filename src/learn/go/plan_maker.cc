// SPDX-License-Identifier: Apache-2.0
#include "learn/go/plan_maker.h"

#include <algorithm>

#include "plan/order/ranks.h"

namespace berth::learn {

PlanMaker::PlanMaker(const Problem& problem, const Items& items, std::span<const DeviceId> devices,
                     const GoTasks& tasks)
    : problem_(problem), items_(items), devices_(devices), tasks_(tasks) {
  if (tasks.fusion) fuser_.emplace(problem);
}

// The rank of an op's node; inside a rank the longest way to the end of the step, which is less than one rank.
std::vector<double> PlanMaker::priorities(const Plan& plan, std::span<const std::int64_t> rank) const {
  std::vector<double> priority(problem_.graph().num_ops());
  if (tasks_.critical_path) {
    priority = upward_ranks(problem_, plan);
    const double most = priority.empty() ? 0.0 : *std::ranges::max_element(priority);
    for (double& each : priority) each = most > 0.0 ? 0.5 * each / most : 0.0;
  }
  for (const OpId op : problem_.graph().ops()) {
    const std::int64_t node = items_.position[items_.grouping.of(problem_, op)];
    priority[index(op)] += static_cast<double>(rank[static_cast<std::size_t>(node)]);
  }
  return priority;
}

Plan PlanMaker::plan(std::span<const std::int64_t> device, std::span<const std::int64_t> rank,
                     std::span<const std::int64_t> fusion) const {
  std::vector<DeviceId> devices(device.size());
  for (std::size_t v = 0; v < devices.size(); ++v) devices[v] = devices_[static_cast<std::size_t>(device[v])];
  Plan plan = plan_of_items(problem_, items_, devices);
  if (tasks_.schedule) plan.priority = priorities(plan, rank);
  if (fuser_) {
    std::vector<double> priority(problem_.graph().num_ops());
    for (const OpId op : problem_.graph().ops()) {
      const std::int64_t node = items_.position[items_.grouping.of(problem_, op)];
      const std::int64_t level = fusion[static_cast<std::size_t>(node)];
      priority[index(op)] = level == 0 ? -1.0 : static_cast<double>(level);  // the lowest: not at all
    }
    plan.fusions = fuser_->by_priority(plan, priority, Joining::kAnyLegal);
  }
  return plan;
}

}  // namespace berth::learn
