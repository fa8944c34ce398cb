// SPDX-License-Identifier: Apache-2.0
// The comparison behind `berth compare` and `berth demo`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/outcome.h"

namespace berth::app {

struct Comparison {
  std::vector<Outcome> rows;      // best first; each with the best lower bound that any of them proved
  std::optional<Outcome> single;  // the best single device, also when it is no row; none if Ctrl-C came first
};

// Runs every planner with the budget, one after the other, until Ctrl-C. `given` are further rows.
Comparison compare_planners(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                            bool progress, const std::vector<Outcome>& given = {});

}  // namespace berth::app
