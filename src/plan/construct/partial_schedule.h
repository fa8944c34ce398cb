// SPDX-License-Identifier: Apache-2.0
// PartialSchedule: what list schedulers share. Ops are placed one by one; it knows where groups have their device, when
// every placed op starts and ends, which tensors are where, and when the inputs of an op could be on a device.
//
// Parameters, constants, inputs and views of them in the same group float until a reader is placed: then they get their
// home with that reader (if they may be there), so that nothing is copied without need. All of a group follows the
// first of its ops to be placed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/coarsen/grouping.h"
#include "plan/construct/idle_gaps.h"
#include "problem/problem.h"

namespace berth {

enum class LinkModel : std::uint8_t {
  kIdle,    // as if every transfer were alone: HEFT as published
  kQueued,  // one transfer at a time per link queue; a tensor is sent once to a device
};

class PartialSchedule {
 public:
  // `devices`: those that take ops; others serve only what may not run on any of these.
  PartialSchedule(const Problem& problem, const Grouping& grouping, DeviceSet devices, LinkModel links);

  // Floating ops are never placed by the caller.
  [[nodiscard]] bool floats(OpId op) const { return floats_[index(op)] != 0; }
  // Its group's device once that is fixed, else where it may go.
  [[nodiscard]] DeviceSet choices(OpId op) const;
  [[nodiscard]] bool is_fixed(std::uint32_t group) const { return device_of_group_[group] != kNoDevice; }
  // Fixed by a reader on a device that takes no ops of this group otherwise.
  [[nodiscard]] bool has_unusual_home(std::uint32_t group) const {
    return (choices_[group] & device_bit(device_of_group_[group])) == 0;
  }
  [[nodiscard]] std::uint32_t group(OpId op) const { return grouping_.of(problem_, op); }
  [[nodiscard]] DeviceId device_of_group(std::uint32_t group) const { return device_of_group_[group]; }
  [[nodiscard]] DeviceId device_of(OpId op) const { return device_of_group_[group(op)]; }

  // When inputs and control predecessors, all placed, would let the op start there.
  [[nodiscard]] Picoseconds data_ready(OpId op, DeviceId device) const;
  // Whether this tensor is on the device, or on its way.
  [[nodiscard]] bool is_on(TensorId tensor, DeviceId device) const;

  // Fixes the group, gives floating inputs a home, sends what is missing; returns when all of it is there. Then set().
  Picoseconds settle(OpId op, DeviceId device);
  void set(OpId op, Picoseconds start, Picoseconds duration);
  // Tensors sent by the last settle(), all to its device.
  [[nodiscard]] std::span<const TensorId> last_sent() const { return sent_; }
  // Groups that the last settle() fixed.
  [[nodiscard]] std::span<const std::uint32_t> last_fixed() const { return fixed_; }

  // Every op that has no device yet goes with an input that has one, else where it may be: for searches cut short.
  void finish_without_looking();
  // Devices, and priorities that fall with the start.
  [[nodiscard]] Plan to_plan() const;

 private:
  struct Copy {
    DeviceId device;
    Picoseconds arrival;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr Picoseconds kNotYet = -1;  // start of what is not placed

  void find_floating();
  void restrict_to(DeviceSet devices);
  void fix(std::uint32_t group, DeviceId device);
  [[nodiscard]] DeviceId home_near(std::uint32_t group, DeviceId device) const;
  [[nodiscard]] const Copy* find_copy(TensorId tensor, DeviceId device) const;
  [[nodiscard]] Picoseconds arrival(TensorId tensor, DeviceId device) const;
  [[nodiscard]] Picoseconds control_arrival(OpId before, DeviceId device) const;
  Picoseconds send(TensorId tensor, DeviceId to);

  const Problem& problem_;
  const Graph& graph_;
  const Grouping& grouping_;
  LinkModel links_;
  std::vector<DeviceSet> choices_;         // per group, while it has no device
  std::vector<DeviceId> device_of_group_;  // kNoDevice: none yet
  std::vector<std::uint8_t> floats_;       // per op
  std::vector<Picoseconds> start_, end_;   // per op
  std::vector<std::uint32_t> first_copy_;  // per tensor, into copies_
  std::vector<Copy> copies_;
  std::vector<IdleGaps> queues_;
  std::vector<TensorId> sent_;
  std::vector<std::uint32_t> fixed_;
};

}  // namespace berth
