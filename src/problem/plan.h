// SPDX-License-Identifier: Apache-2.0
// Plan: what a planner decides. Plain data; verify() says whether it is legal for a problem.
#pragma once

#include <vector>

#include "base/ids.h"

namespace berth {

struct Plan {
  std::vector<DeviceId> device_of = {};         // indexed by OpId, one entry per op
  std::vector<double> priority = {};            // indexed by OpId, or empty: 0 for every op
  std::vector<std::vector<OpId>> fusions = {};  // disjoint groups of at least two ops; default none

  [[nodiscard]] DeviceId device(OpId op) const { return device_of[index(op)]; }
  [[nodiscard]] double priority_of(OpId op) const { return priority.empty() ? 0.0 : priority[index(op)]; }
  bool operator==(const Plan&) const = default;
};

}  // namespace berth
