// SPDX-License-Identifier: Apache-2.0
#include "services/compare/compare.h"

#include <algorithm>

#include "services/plan/run_planner.h"
#include "services/plan/single_device.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

// What one planner proves holds for the plans of all, and what it saw and did not take is known to all.
void share_knowledge(std::vector<Outcome>& rows) {
  const auto best = std::ranges::max_element(rows, {}, &Outcome::lower_bound);
  const Picoseconds bound = best != rows.end() ? best->lower_bound : 0;
  std::optional<Picoseconds> seen;
  for (const Outcome& row : rows) {
    if (row.best_seen) seen = std::min(*row.best_seen, seen.value_or(*row.best_seen));
  }
  const bool searched = std::ranges::any_of(rows, &Outcome::searched);
  for (Outcome& row : rows) row.lower_bound = bound, row.best_seen = seen, row.searched = searched;
}

}  // namespace

Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Judge& judge, Caller& caller) {
  const Picoseconds bound = lower_bound(problem).value();
  caller.work_begins();
  Comparison comparison;
  std::vector<Outcome>& rows = comparison.rows;
  rows = given;
  for (const ChosenPlanner& planner : planners) {
    rows.push_back(caller.wants_to_stop() ? not_run(planner, budget, bound)
                                          : run_planner(problem, planner, budget, bound, judge, caller));
  }
  rank(rows);
  share_knowledge(rows);
  const auto single = std::ranges::find_if(rows, is_whole_single);
  comparison.single =
      single != rows.end() ? *single : run_single(problem, budget, rows.front().lower_bound, judge, caller);
  return comparison;
}

Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Caller& caller) {
  const std::unique_ptr<Judge> judge = simulated_judge(problem);
  return compare(problem, planners, budget, given, *judge, caller);
}

}  // namespace berth
