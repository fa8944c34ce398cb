// SPDX-License-Identifier: Apache-2.0
#include "services/compare/compare.h"

#include <algorithm>
#include <filesystem>

#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/plan/single_device.h"
#include "services/words.h"
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

// The placement in the model's file, and plans from other files.
Result<std::vector<Outcome>> given_rows(const CompareRequest& request, const LoadedProblem& loaded) {
  std::vector<Outcome> rows;
  if (const auto given = given_row(loaded)) rows.push_back(*given);
  for (const std::string& path : request.plans) {
    const std::string name = std::filesystem::path(path).filename().string();
    BERTH_TRY(Outcome row, score_plan_file(path, name, request.problem, loaded.problem));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Judge& judge, Caller& caller) {
  const LowerBound known = lower_bound(problem);
  const Picoseconds bound = known.value();
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
  for (Outcome& row : rows) tell_bound(problem, known, row);
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

Result<CompareAnswer> compare(const CompareRequest& request, Caller& caller) {
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  CompareAnswer answer{.loaded = std::move(loaded)};
  const Problem& problem = answer.loaded.problem;
  BERTH_RETURN_IF_ERROR(check_can_simulate(request.budget, problem));
  BERTH_TRY(const std::unique_ptr<Judge> judge, make_judge(request.judge, request.problem.graph, problem, caller));
  BERTH_TRY(const std::vector<Outcome> given, given_rows(request, answer.loaded));
  answer.comparison = compare(problem, request.planners, request.budget, given, *judge, caller);
  BERTH_TRY(std::optional<LoadedProblem> unchanged, load_unchanged(request.problem));
  if (!unchanged) return answer;
  BERTH_TRY(const std::vector<Outcome> given_before, given_rows(request, *unchanged));
  Comparison before = compare(unchanged->problem, request.planners, request.budget, given_before, caller);
  answer.before = CompareAnswer::Unchanged{*std::move(unchanged), std::move(before)};
  return answer;
}

std::optional<Error> failure_of(const CompareAnswer& answer) {
  const std::vector<Outcome>& rows = answer.comparison.rows;
  const Outcome& best = rows.front();
  if (best.feasible()) return std::nullopt;
  if (std::ranges::any_of(rows, &Outcome::interrupted)) {
    return infeasible("interrupted before any planner found a plan that fits in memory");
  }
  if (best.error)
    return infeasible("no planner found a plan: {}", best.error->message);  // those with a plan come first
  return infeasible("no planner found a plan that fits in memory; nearest is '{}': {}", best.planner,
                    overflow_text(answer.loaded.problem, best));
}

}  // namespace berth
