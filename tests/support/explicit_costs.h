// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/problem.h"

namespace berth {

// The times of a problem, to build another one from it.
inline ExplicitCosts explicit_costs(const Problem& problem) {
  ExplicitCosts costs;
  for (const OpId op : problem.graph().ops()) {
    auto& times = costs.time_s.emplace_back();
    for (const DeviceId device : problem.machine().device_ids()) {
      const bool allowed = (problem.allowed(op) & device_bit(device)) != 0;
      times.push_back(allowed ? to_seconds(problem.duration(op, device)) : -1.0);
    }
  }
  return costs;
}

}  // namespace berth
