// SPDX-License-Identifier: Apache-2.0
// HotSpots: what the critical path of a plan suggests to change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/coarsen/level.h"
#include "sim/critical_path.h"
#include "sim/simulator.h"

namespace berth {

class HotSpots {
 public:
  struct Group {  // a group on the path
    std::uint32_t group;
    DeviceId towards;  // where a transfer on the path comes from, or goes to; kNoDevice: away from where it is
  };
  struct Wait {  // an op on the path, and one that had its device shortly before
    OpId waiting, ahead;
  };

  explicit HotSpots(const Problem& problem) : problem_(problem), tracer_(problem) {}

  void clear();
  // For the step objective: a pipeline has no critical path.
  void find(const Level& level, const Plan& plan);

  [[nodiscard]] std::span<const Group> groups() const { return groups_; }  // those that have a choice of devices
  [[nodiscard]] std::span<const Wait> waits() const { return waits_; }     // none where the plan has no priorities

 private:
  void add(const Level& level, OpId op, DeviceId towards);
  void add_waits(std::span<const CriticalStep> path, std::size_t i);

  const Problem& problem_;
  Simulator tracer_;
  std::vector<Group> groups_;
  std::vector<Wait> waits_;
};

}  // namespace berth
