// SPDX-License-Identifier: Apache-2.0
// The table of planners without learning: what the command line, its help and the contract tests know of them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "plan/planner.h"

namespace berth {

struct PlannerInfo {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Planner> (*make)();  // nullptr: left out of this build
  bool uses_seed = false;              // results depend on the seed
  bool uses_threads = false;           // searches with all threads of the budget
  bool is_portfolio = false;           // begins with plans of others (plan/portfolio.h)
  bool takes_start = false;            // goes on from the best plan that its search knows already
};

// The row that everything is compared with: one device for all.
inline constexpr std::string_view kSinglePlanner = "single";

template <typename T>
std::unique_ptr<Planner> make_planner() {
  return std::make_unique<T>();
}

std::span<const PlannerInfo> classical_planners();  // the only list of them; in the order of the documentation

// The planner of that name, or nullptr if this build has none.
const PlannerInfo* find_classical_planner(std::string_view name);

}  // namespace berth
