// SPDX-License-Identifier: Apache-2.0
// How full every device is over the step.
#pragma once

#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

struct MemoryEvent {  // from this instant on the device holds so much
  Picoseconds time;
  DeviceId device;
  Bytes held;
  bool operator==(const MemoryEvent&) const = default;
};

// By time, then device; only changes, the first at 0. What the last instant of the step frees is not among them. The
// largest of a device is its peak. Costs a simulation; empty for the objective `pipeline`, which has no timeline.
std::vector<MemoryEvent> memory_timeline(const Problem& problem, const Plan& plan);

}  // namespace berth
