// SPDX-License-Identifier: Apache-2.0
// Draft: the present plan of a walk with the changes of the move at hand, which can be taken back.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/coarsen/level.h"
#include "sim/batch/plan_batch.h"
#include "sim/timeline.h"

namespace berth {

class Draft {
 public:
  // The plan has every group of the levels it is changed by on one device.
  Draft(const Problem& problem, Plan plan) : problem_(problem), plan_(std::move(plan)) {}

  [[nodiscard]] const Plan& plan() const { return plan_; }
  void stand_at(const Plan& plan) { plan_ = plan; }

  // A new move: nothing has changed yet, and devices have the work that the plan's score says.
  void begin(const Score& score);
  // Nothing where the group may not be on the device, or is there.
  void move(const Level& level, std::uint32_t group, DeviceId device);
  void set_priority(OpId op, double priority);
  // Takes back what has changed since begin().
  void undo(const Level& level);

  [[nodiscard]] bool is_changed() const { return !moved_.empty() || !reordered_.empty(); }
  [[nodiscard]] std::size_t num_moved() const { return moved_.size(); }
  [[nodiscard]] bool has_moved(std::uint32_t group) const;
  [[nodiscard]] bool is_reordered() const { return !reordered_.empty(); }
  // Where the ops that have moved are now, behind those that `moves` has.
  void list_moves(const Level& level, std::vector<BatchMove>& moves) const;
  [[nodiscard]] DeviceId device_of(const Level& level, std::uint32_t group) const {
    return plan_.device(level.ops(group).front());
  }
  // Work of a device per lane, with the move at hand.
  [[nodiscard]] Picoseconds load(DeviceId device) const {
    return load_[index(device)] / problem_.machine().device(device).lanes;
  }

 private:
  struct Moved {
    std::uint32_t group;
    DeviceId before;
  };
  struct Reordered {
    OpId op;
    double before;
  };

  const Problem& problem_;
  Plan plan_;
  std::vector<Moved> moved_;
  std::vector<Reordered> reordered_;
  std::vector<Picoseconds> load_;  // per device, over all lanes
};

}  // namespace berth
