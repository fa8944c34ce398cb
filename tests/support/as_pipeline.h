// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "support/explicit_costs.h"

namespace berth {

// The same graph, machine, times and constraints with the pipeline objective; `resident` per op, empty: the graph's.
inline Problem as_pipeline(const Problem& problem, std::vector<Bytes> resident = {}) {
  ExplicitCosts costs = explicit_costs(problem);
  costs.resident = std::move(resident);
  return make_problem(std::make_shared<const Graph>(problem.graph()),
                      std::make_shared<const Machine>(problem.machine()), costs, problem.constraints(),
                      Objective::kPipeline)
      .value();
}

}  // namespace berth
