// SPDX-License-Identifier: Apache-2.0
// ListDecoder: a list of ops in, a schedule out, devices chosen on the way. Ops are taken in the order of their keys,
// as far as the edges let them; each goes to the device that ends it first, into the first idle gap that holds it
// (serial schedule generation, Kelley 1963; the device rule of HEFT, Topcuoglu et al. 2002). Transfers take their time
// on idle links. An op's wish for a device is followed where allowed.
//
// What takes no time and waits for nothing that does (parameters, inputs, views of them) has no place of its own until
// an op that takes time reads it, and then goes where that op is. Units stay together; a device whose resident memory
// is full is left out while another has room.
//
// Backward, the same on the reversed graph: times run from the end of the step. Cost: O(edges * devices) plus the
// search for gaps, about 10 us for 50 ops on 4 devices. What it reckons is no more than a guess where links are
// contended or a device would have to wait for an op while another is ready: the simulator judges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/explore/task_table.h"
#include "problem/memory_domains.h"

namespace berth {

enum class Direction : std::uint8_t { kForward, kBackward };

struct Schedule {
  std::vector<Picoseconds> start, end;  // indexed by op; times of a backward schedule run backward
  std::vector<DeviceId> device_of_unit;
  Picoseconds makespan = 0;
};

class ListDecoder {
 public:
  explicit ListDecoder(const TaskTable& table);

  // Ops with higher keys first. `wishes` is indexed by op, kNoDevice where there is none. Valid until the next call.
  const Schedule& decode(std::span<const double> keys, std::span<const DeviceId> wishes, Direction direction);
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }  // the last one

 private:
  struct Busy {
    Picoseconds start, end;
  };
  struct Slot {
    std::size_t device = 0, lane = 0, position = 0;  // position: before which busy stretch of the lane
    Picoseconds start = 0, end = 0, idle = 0;        // idle: how long the lane did nothing before
  };

  struct Sources {  // of an op on a device: those yet to be looked at
    std::span<const TaskTable::Arc> left;
    std::size_t device = 0;
  };

  void reset();
  void place(std::uint32_t op);
  void place_timeless(std::uint32_t op);
  [[nodiscard]] DeviceSet candidates(std::uint32_t op) const;
  [[nodiscard]] Picoseconds ready_time(std::uint32_t op, std::size_t device) const;
  void find_slot(std::uint32_t op, std::size_t device, Slot& best) const;
  void settle(std::uint32_t unit, std::size_t device);
  void settle_sources(std::uint32_t op, std::size_t device);
  void settle_leftovers();
  [[nodiscard]] std::span<const TaskTable::Arc> arcs_in(std::uint32_t op) const {
    return direction_ == Direction::kForward ? table_.before(op) : table_.after(op);
  }
  [[nodiscard]] std::span<const TaskTable::Arc> arcs_out(std::uint32_t op) const {
    return direction_ == Direction::kForward ? table_.after(op) : table_.before(op);
  }
  [[nodiscard]] bool is_settled(std::uint32_t unit) const { return schedule_.device_of_unit[unit] != kNoDevice; }

  const TaskTable& table_;
  const Problem& problem_;
  Direction direction_ = Direction::kForward;
  std::span<const DeviceId> wishes_;
  Schedule schedule_;
  std::vector<std::uint32_t> lane_begin_;  // per device
  std::vector<std::vector<Busy>> lanes_;
  std::vector<std::uint32_t> missing_;  // arcs yet to be served, per op
  std::vector<std::pair<double, std::uint32_t>> ready_;
  std::vector<Sources> sources_;
  const MemoryDomains domains_;
  std::vector<Bytes> free_;  // per domain
  DeviceSet used_ = 0;       // devices that take time for some op
  int max_devices_ = 0;
};

// The devices of a forward schedule, with priorities by its starts.
void fill_plan(const TaskTable& table, const Schedule& schedule, Plan& plan);

}  // namespace berth
