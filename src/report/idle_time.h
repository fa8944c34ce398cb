// SPDX-License-Identifier: Apache-2.0
// IdleTime: what devices wait for while they have nothing to do. Every gap before an op is followed back from that op,
// along what it waited for, as the critical path follows the last op of the step.
#pragma once

#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth::report {

struct IdleTime {             // of one device, summed over its lanes
  Picoseconds results = 0;    // what its next op needs was being computed elsewhere: a chain of dependencies
  Picoseconds transfers = 0;  // it was under way
  Picoseconds links = 0;      // it waited for a busy link
  Picoseconds devices = 0;    // it could have been computed, but that device did something else first: order and load
  Picoseconds done = 0;       // the device has nothing left to do
  [[nodiscard]] Picoseconds total() const { return results + transfers + links + devices + done; }
  bool operator==(const IdleTime&) const = default;
};

// Indexed by DeviceId; with the busy time it adds up to the step, for every lane. The plan's machine must overlap.
std::vector<IdleTime> idle_time(const Problem& problem, const Plan& plan, const Timeline& timeline);

}  // namespace berth::report
