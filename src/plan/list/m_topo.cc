// SPDX-License-Identifier: Apache-2.0
#include "plan/list/m_topo.h"

#include <algorithm>

#include "machine/device_set.h"
#include "plan/grouping.h"
#include "plan/list/baechi_groups.h"
#include "plan/list/memory_passes.h"
#include "plan/list/partial_schedule.h"
#include "plan/list/static_memory.h"
#include "plan/placement.h"

namespace berth {
namespace {

// Fills devices one after the other; the last takes what is left.
class Filler {
 public:
  Filler(const Problem& problem, std::span<const Bytes> bytes_of_group) : workers_(worker_devices(problem)) {
    double total = 0.0, capacity = 0.0;
    Bytes largest = 0;
    for (const Bytes bytes : bytes_of_group) {
      total += static_cast<double>(bytes);
      largest = std::max(largest, bytes);
    }
    for (const DeviceId worker : workers_) capacity += static_cast<double>(problem.capacity(worker));
    for (const DeviceId worker : workers_) {
      const double share = capacity > 0.0 ? static_cast<double>(problem.capacity(worker)) / capacity
                                          : 1.0 / static_cast<double>(workers_.size());
      caps_.push_back(static_cast<Bytes>(total * share) + largest);
    }
  }

  [[nodiscard]] DeviceId next(Bytes bytes) {
    while (filled_ + bytes > caps_[current_] && current_ + 1 < workers_.size()) {
      ++current_;
      filled_ = 0;
    }
    return workers_[current_];
  }
  void take(Bytes bytes) { filled_ += bytes; }

 private:
  std::vector<DeviceId> workers_;
  std::vector<Bytes> caps_;
  std::size_t current_ = 0;
  Bytes filled_ = 0;
};

}  // namespace

Result<Plan> MTopoPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  const Grouping grouping = baechi_groups(problem);
  const std::vector<Bytes> bytes = bytes_of_groups(problem, grouping);
  Filler filler(problem, bytes);
  PartialSchedule schedule(problem, grouping, candidate_devices(problem, CpuUse::kWhatElseCant), LinkModel::kIdle);
  for (const OpId op : problem.graph().topological_order()) {
    if (schedule.floats(op) || schedule.is_fixed(schedule.group(op))) continue;
    const DeviceId wanted = filler.next(bytes[schedule.group(op)]);
    const DeviceSet choices = schedule.choices(op);
    const bool may = (choices & device_bit(wanted)) != 0;
    schedule.settle(op, may ? wanted : lowest_device(choices));
    for (const std::uint32_t group : schedule.last_fixed()) {
      if (schedule.device_of_group(group) == wanted) filler.take(bytes[group]);
    }
  }
  Plan plan = schedule.to_plan();
  plan.priority.clear();  // nothing is known about time
  return submit(search, std::move(plan), "m-topo");
}

}  // namespace berth
