// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/catalog.h"
#include "app/commands.h"
#include "app/compare_planners.h"
#include "app/given.h"
#include "app/json_output.h"
#include "app/judge.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/read_plan.h"
#include "app/resolve.h"
#include "app/single_device.h"
#include "app/what_if.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

struct CompareFlags {
  ProblemFlags problem;
  SearchFlags search;
  LearnedFlags learned;
  EnvFlags env;
  std::string planners = "all";
  std::vector<std::string> plans;
  bool json = false;
};

// The placement in the model's file, and plans from other files.
Result<std::vector<Outcome>> given_rows(const CompareFlags& flags, const ResolvedProblem& resolved) {
  std::vector<Outcome> rows;
  if (const auto given = given_row(resolved)) rows.push_back(*given);
  for (const std::string& path : flags.plans) {
    BERTH_TRY(Outcome row,
              score_plan_file(path, std::filesystem::path(path).filename().string(), flags.problem, resolved.problem));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Exit> run_compare(const CompareFlags& flags) {
  BERTH_TRY(const std::vector<ChosenPlanner> planners, find_planners(flags.planners, flags.learned));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(const ResolvedProblem resolved, resolve_problem(flags.problem));
  const Problem& problem = resolved.problem;
  BERTH_TRY(std::optional<Judge> judge, Judge::make(flags.env, flags.problem.graph, problem));
  BERTH_TRY(const std::vector<Outcome> given, given_rows(flags, resolved));
  const Comparison comparison =
      compare_judged(problem, planners, budget, !flags.search.quiet, given, judge ? &*judge : nullptr);
  BERTH_TRY(const std::optional<ResolvedProblem> unchanged, as_it_is(flags.problem));
  std::optional<Comparison> before;
  if (unchanged) {
    BERTH_TRY(const std::vector<Outcome> given_before, given_rows(flags, *unchanged));
    before = compare_planners(unchanged->problem, planners, budget, !flags.search.quiet, given_before);
  }
  if (flags.json) {
    const auto change = [&](JsonWriter& json) {
      write_change(json, unchanged->problem, before->rows.front(), comparison.rows.front());
    };
    const MoreMembers more = before ? MoreMembers(change) : nullptr;
    BERTH_RETURN_IF_ERROR(print(comparison_json(resolved, comparison, more)));
  } else {
    BERTH_RETURN_IF_ERROR(print(comparison_table(problem, comparison, resolved.costs)));
    if (before) BERTH_RETURN_IF_ERROR(print(change_table(unchanged->problem, *before, comparison)));
  }
  const std::vector<Outcome>& rows = comparison.rows;
  if (rows.front().feasible()) return Exit::kDone;
  if (std::ranges::any_of(rows, &Outcome::interrupted)) {
    return infeasible("interrupted before any planner found a plan that fits in memory");
  }
  if (std::ranges::all_of(rows, [](const Outcome& row) { return row.error.has_value(); })) {
    return infeasible("no planner found a plan: {}", rows.front().error->message);
  }
  return infeasible("no planner found a plan that fits in memory; nearest is '{}': {}", rows.front().planner,
                    overflow_text(problem, rows.front()));
}

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

Comparison compare_planners(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                            bool progress, const std::vector<Outcome>& given) {
  return compare_judged(problem, planners, budget, progress, given, nullptr);
}

Comparison compare_judged(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                          bool progress, const std::vector<Outcome>& given, Judge* judge) {
  const Picoseconds bound = lower_bound(problem).value();
  const InterruptGuard guard;
  Comparison comparison;
  std::vector<Outcome>& rows = comparison.rows;
  rows = given;
  for (const ChosenPlanner& planner : planners) {
    rows.push_back(InterruptGuard::flag() ? not_run(planner, budget, bound)
                                          : run_judged(problem, planner, budget, bound, progress, judge));
  }
  rank(rows);
  share_knowledge(rows);
  const auto single = std::ranges::find_if(rows, is_whole_single);
  comparison.single =
      single != rows.end() ? *single : run_single_judged(problem, budget, rows.front().lower_bound, judge);
  return comparison;
}

void add_compare_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* command = app.add_subcommand("compare", "run several planners: one row each, best first");
  add_problem_flags(*command, flags->problem);
  command->add_option("--planners", flags->planners, "a,b,c or all, classical, learned")->capture_default_str();
  command
      ->add_option("--plan", flags->plans,
                   "also a row for this plan, in any format that berth score reads; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_search_flags(*command, flags->search);
  add_learned_flags(*command, flags->learned);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  add_env_flags(*command, flags->env);
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth compare zoo:nmt-4 --machine k40x4 --planners gpu-only,expert,round-robin,random\n"
      "  berth compare gnmt_training.json --planners single,expert    (an MSR problem brings devices and objective)\n"
      "  berth compare gnmt.pb --machine box.toml --costs gnmt.csv    (with a row for the placement in the file)");
  command->callback([flags, &exit] {
    flags->learned.judged_by_search = flags->env.env != "simulate";
    exit = finish(run_compare(*flags));
  });
}

}  // namespace berth::app
