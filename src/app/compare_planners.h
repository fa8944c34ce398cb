// SPDX-License-Identifier: Apache-2.0
// The comparison behind `berth compare` and `berth demo`.
#pragma once

#include <span>
#include <vector>

#include "app/outcome.h"

namespace berth::app {

// Runs every planner with the budget, one after the other, until Ctrl-C; one row each, best first.
std::vector<Outcome> compare_planners(const Problem& problem, std::span<const PlannerInfo> planners,
                                      const Budget& budget, bool progress);

}  // namespace berth::app
