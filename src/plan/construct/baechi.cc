// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/baechi.h"

#include <algorithm>
#include <numeric>

#include "machine/device_set.h"
#include "plan/coarsen/grouping.h"
#include "plan/construct/earliest_task_first.h"
#include "plan/construct/favourite_children.h"
#include "plan/construct/memory_passes.h"
#include "plan/construct/partial_schedule.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

// Groups per device at least; coarser ones leave a scheduler nothing to balance.
constexpr Picoseconds kGroupsPerDevice = 40;

// The pre-pass: colocation, views with what they look at, and gradients with their forward ops as long as a group stays
// a small part of one device's share of the work.
//
// Co-placement (join_only_consumers) is part of the published pre-pass too. It was tried and left out: it helps where
// time grows with the number of ops, but its groups are so coarse that most step times grow and some plans stop fitting
// (docs/planners.md).
Grouping baechi_groups(const Problem& problem) {
  const Grouping views = join_views(problem, one_group_per_unit(problem));
  const std::vector<Picoseconds> work = weigh_groups(problem, views).work;
  const Picoseconds total = std::accumulate(work.begin(), work.end(), Picoseconds{0});
  const auto workers = static_cast<Picoseconds>(worker_devices(problem).size());
  return join_gradients(problem, views, {.work = total / (workers * kGroupsPerDevice)});
}

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

Result<Plan> MEtfPlanner::plan(Search& search) {
  const Grouping grouping = baechi_groups(search.problem());
  return with_memory_passes(search, "m-etf", 1.0, [&](double share) {
    return schedule_earliest_first(search, grouping, {.memory_share = share});
  });
}

#if BERTH_CLP
Result<Plan> MSctPlanner::plan(Search& search) {
  const Grouping grouping = baechi_groups(search.problem());
  const FavouriteChildren favourites = favourite_children(search);
  Result<Plan> plan = with_memory_passes(search, "m-sct", 1.0, [&](double share) {
    return schedule_earliest_first(search, grouping, {.memory_share = share, .favourite_child = favourites.child_of});
  });
  search.set_note(search.note().empty() ? favourites.note : fmt::format("{}; {}", favourites.note, search.note()));
  return plan;
}
#endif

}  // namespace berth
