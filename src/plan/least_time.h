// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "cost/problem.h"
#include "machine/device_set.h"

namespace berth {

// Time of an op on the fastest device that may run it.
inline Picoseconds least_time(const Problem& problem, OpId op) {
  Picoseconds least = std::numeric_limits<Picoseconds>::max();
  for (DeviceSet set = problem.allowed(op); set != 0; set &= set - 1)
    least = std::min(least, problem.duration(op, lowest_device(set)));
  return least;
}

}  // namespace berth
