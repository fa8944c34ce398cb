// SPDX-License-Identifier: Apache-2.0
// Planner: one strategy, one class, one row in a table (plan/planners.h). A planner works through a Search.
#pragma once

#include "base/result.h"
#include "plan/search/search.h"

namespace berth {

class Planner {
 public:
  virtual ~Planner() = default;
  // Deterministic for (problem, seed) when limited by evaluations. A returned plan passes verify(); it may be out of
  // memory, which its score says. Errors are for problems the planner cannot handle at all.
  virtual Result<Plan> plan(Search& search) = 0;
};

}  // namespace berth
