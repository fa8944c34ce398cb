// SPDX-License-Identifier: Apache-2.0
// Decisions apart from the one where ops go: which run fused, and in which order.
#pragma once

#include <string>

#include "base/result.h"
#include "plan/fuse/fusion.h"
#include "services/caller.h"
#include "services/plan/outcome.h"

namespace berth {

// Who decides; methods with their names, which an outcome reports. No name: it stays as the planner has it.
struct StageRequest {
  Stages stages = {};
  std::string fusion = {}, schedule = {};

  [[nodiscard]] bool any() const { return stages.any(); }
};
// Names looked up; an error names the flag and the nearest method.
Result<StageRequest> find_stages(const std::string& fusion, const std::string& schedule);

// The part of a budget for who places, where stages follow.
Budget budget_to_place(const Budget& budget, const StageRequest& request);

// What becomes of a placement that is no error by the stages, with what it has left of the budget. Without stages it
// comes back as it is.
Outcome run_stages(const Problem& problem, Outcome placed, const StageRequest& request, const Budget& budget,
                   Caller& caller);

}  // namespace berth
