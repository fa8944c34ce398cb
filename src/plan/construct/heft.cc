// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/heft.h"

#include <bit>

#include "machine/device_set.h"
#include "plan/coarsen/grouping.h"
#include "plan/construct/idle_gaps.h"
#include "plan/construct/memory_passes.h"
#include "plan/construct/partial_schedule.h"
#include "plan/order/ranks.h"
#include "plan/search/placement.h"
#include "problem/memory_domains.h"

namespace berth {
namespace {

// The lanes of all devices, with insertion into idle gaps.
class DeviceLanes {
 public:
  struct Slot {
    std::size_t lane = 0;
    Picoseconds start = 0;
  };

  explicit DeviceLanes(const Machine& machine) {
    for (const Device& device : machine.devices()) lanes_.emplace_back(static_cast<std::size_t>(device.lanes));
  }

  // Timeless work needs no lane and starts when it is ready.
  [[nodiscard]] Slot earliest(DeviceId device, Picoseconds ready, Picoseconds duration) const {
    if (duration == 0) return {0, ready};
    const std::vector<IdleGaps>& lanes = lanes_[index(device)];
    Slot best{0, lanes[0].earliest(ready, duration)};
    for (std::size_t lane = 1; lane < lanes.size() && best.start > ready; ++lane) {
      const Picoseconds start = lanes[lane].earliest(ready, duration);
      if (start < best.start) best = {lane, start};
    }
    return best;
  }
  void occupy(DeviceId device, const Slot& slot, Picoseconds duration) {
    lanes_[index(device)][slot.lane].occupy(slot.start, duration);
  }

 private:
  std::vector<std::vector<IdleGaps>> lanes_;
};

// Bytes given out per device (or pool) when nothing is ever freed: parameters and outputs of all ops there. HEFT does
// not place ops in the order of time.
class StaticMemory {
 public:
  // `share` of every capacity may be given out; kEndlessMemory: memory does not count.
  StaticMemory(const Problem& problem, const Grouping& grouping, double share);

  // Those of the devices that still hold the group; if none does, the one with most room.
  [[nodiscard]] DeviceSet with_room(std::uint32_t group, DeviceSet devices) const;
  void take(std::uint32_t group, DeviceId device) {
    if (counts_) left_[domains_.of(device)] -= need_[group];
  }

 private:
  bool counts_;
  MemoryDomains domains_;
  std::vector<Bytes> need_, left_;
};

StaticMemory::StaticMemory(const Problem& problem, const Grouping& grouping, double share)
    : counts_(share < kEndlessMemory), domains_(problem) {
  if (!counts_) return;
  need_ = bytes_of_groups(problem, grouping);
  for (const Bytes capacity : domains_.capacities())
    left_.push_back(static_cast<Bytes>(share * static_cast<double>(capacity)));
}

DeviceSet StaticMemory::with_room(std::uint32_t group, DeviceSet devices) const {
  if (!counts_ || std::has_single_bit(devices)) return devices;
  DeviceSet with = 0, roomiest = 0;
  Bytes most = 0;
  for (DeviceSet set = devices; set != 0; set &= set - 1) {
    const DeviceSet bit = set & -set;
    const Bytes left = left_[domains_.of(lowest_device(set))];
    if (left >= need_[group]) with |= bit;
    if (roomiest == 0 || left > most) {
      roomiest = bit;
      most = left;
    }
  }
  return with != 0 ? with : roomiest;
}

class Heft {
 public:
  Heft(Search& search, const Grouping& grouping, std::span<const OpId> order, double memory_share)
      : search_(search),
        problem_(search.problem()),
        order_(order),
        schedule_(problem_, grouping, candidate_devices(problem_, CpuUse::kAsAnyDevice), LinkModel::kIdle),
        lanes_(problem_.machine()),
        memory_(problem_, grouping, memory_share) {}

  Plan run() {
    std::size_t done = 0;
    for (const OpId op : order_) {
      if (schedule_.floats(op)) continue;
      if (++done % 64 == 0 && search_.should_stop()) break;
      place(op);
    }
    schedule_.finish_without_looking();
    return schedule_.to_plan();
  }

 private:
  struct Choice {
    DeviceId device = kNoDevice;
    DeviceLanes::Slot slot;
    Picoseconds end = 0;
  };

  void place(OpId op) {
    Choice best;
    const DeviceSet choices = schedule_.choices(op);
    for (DeviceSet set = memory_.with_room(schedule_.group(op), choices); set != 0; set &= set - 1) {
      const DeviceId device = lowest_device(set);
      const Picoseconds duration = problem_.duration(op, device);
      const DeviceLanes::Slot slot = lanes_.earliest(device, schedule_.data_ready(op, device), duration);
      const Picoseconds end = slot.start + duration;
      if (best.device == kNoDevice || end < best.end) best = {device, slot, end};
    }
    schedule_.settle(op, best.device);
    for (const std::uint32_t group : schedule_.last_fixed()) memory_.take(group, schedule_.device_of_group(group));
    schedule_.set(op, best.slot.start, best.end - best.slot.start);
    lanes_.occupy(best.device, best.slot, best.end - best.slot.start);
  }

  Search& search_;
  const Problem& problem_;
  std::span<const OpId> order_;
  PartialSchedule schedule_;
  DeviceLanes lanes_;
  StaticMemory memory_;
};

}  // namespace

Result<Plan> HeftPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  const Grouping grouping = join_views(problem, one_group_per_unit(problem));
  const std::vector<OpId> order = order_by_rank(problem, upward_ranks(problem));
  return with_memory_passes(search, "heft", kEndlessMemory,
                            [&](double memory_share) { return Heft(search, grouping, order, memory_share).run(); });
}

}  // namespace berth
