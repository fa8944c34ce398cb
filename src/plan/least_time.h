// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "cost/problem.h"

namespace berth {

// Time of an op on the fastest device that may run it.
inline Picoseconds least_time(const Problem& problem, OpId op) {
  Picoseconds least = std::numeric_limits<Picoseconds>::max();
  for (DeviceSet set = problem.allowed(op); set != 0; set &= set - 1)
    least = std::min(least, problem.duration(op, DeviceId(std::countr_zero(set))));
  return least;
}

}  // namespace berth
