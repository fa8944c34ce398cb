// SPDX-License-Identifier: Apache-2.0
// What planners that cut a graph share: cut in several ways, simulate each, keep the best.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/partition/cut_graph.h"
#include "plan/planner.h"

namespace berth {

struct CutMethod {
  std::string note;  // "5 % imbalance", for people
  std::function<Result<std::vector<std::int32_t>>(const CutGraph&)> cut;
};

// Applies every method, first to a graph joined to at most 10,000 groups, which is quick, then to one of single units
// (at most 50,000 groups), and returns the plan with the best simulated score. The first cut is always made; after that
// it stops when the search has to, or when a cut would end after the time budget, judged by the slowest one so far:
// libraries cannot be interrupted. With a single target there is nothing to cut.
Result<Plan> best_cut(Search& search, const std::vector<DeviceId>& targets, const std::vector<CutMethod>& methods,
                      std::string_view planner);

}  // namespace berth
