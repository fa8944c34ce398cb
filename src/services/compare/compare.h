// SPDX-License-Identifier: Apache-2.0
// Several planners on one problem, best first.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/judge.h"
#include "services/plan/outcome.h"

namespace berth {

struct Comparison {
  std::vector<Outcome> rows;      // best first; each with the best lower bound that any of them proved
  std::optional<Outcome> single;  // the best single device, also when it is no row; none if the caller stopped first
};

// Runs every planner with the budget, one after the other, until the caller stops. `given` are further rows.
Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Judge& judge, Caller& caller);
// The same, judged by simulation.
Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Caller& caller);

}  // namespace berth
