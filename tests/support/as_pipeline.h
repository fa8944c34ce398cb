// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cost/problem.h"

namespace berth {

// The same graph, machine, times and constraints with the pipeline objective; `resident` per op, empty: the graph's.
inline Problem as_pipeline(const Problem& problem, std::vector<Bytes> resident = {}) {
  ExplicitCosts costs;
  for (const OpId op : problem.graph().ops()) {
    auto& times = costs.time_s.emplace_back();
    for (const DeviceId device : problem.machine().device_ids()) {
      const bool allowed = (problem.allowed(op) & device_bit(device)) != 0;
      times.push_back(allowed ? to_seconds(problem.duration(op, device)) : -1.0);
    }
  }
  costs.resident = std::move(resident);
  return make_problem(std::make_shared<const Graph>(problem.graph()),
                      std::make_shared<const Machine>(problem.machine()), costs, problem.constraints(),
                      Objective::kPipeline)
      .value();
}

}  // namespace berth
