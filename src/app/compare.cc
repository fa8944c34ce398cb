// SPDX-License-Identifier: Apache-2.0
#include "services/compare/compare.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/what_if.h"
#include "services/plan/plan_files.h"
#include "services/words.h"

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
Result<std::vector<Outcome>> given_rows(const CompareFlags& flags, const ProblemRequest& request,
                                        const LoadedProblem& loaded) {
  std::vector<Outcome> rows;
  if (const auto given = given_row(loaded)) rows.push_back(*given);
  for (const std::string& path : flags.plans) {
    BERTH_TRY(Outcome row,
              score_plan_file(path, std::filesystem::path(path).filename().string(), request, loaded.problem));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Exit> run_compare(const CompareFlags& flags) {
  BERTH_TRY(const std::vector<ChosenPlanner> planners, planner_catalog().find_all(flags.planners, flags.learned));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(const JudgeRequest judge_request, request_of(flags.env));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  BERTH_TRY(const std::unique_ptr<Judge> judge, make_judge(judge_request, request.graph, problem, caller));
  BERTH_TRY(const std::vector<Outcome> given, given_rows(flags, request, loaded));
  const Comparison comparison = compare(problem, planners, budget, given, *judge, caller);
  BERTH_TRY(std::optional<LoadedProblem> unchanged, load_unchanged(request));
  std::optional<Comparison> before;
  if (unchanged) {
    BERTH_TRY(const std::vector<Outcome> given_before, given_rows(flags, request, *unchanged));
    before = compare(unchanged->problem, planners, budget, given_before, caller);
  }
  if (flags.json) {
    const auto change = [&](JsonWriter& json) {
      write_change(json, {*unchanged, before->rows.front()}, comparison.rows.front());
    };
    const MoreMembers more = before ? MoreMembers(change) : nullptr;
    BERTH_RETURN_IF_ERROR(print(comparison_json(loaded, comparison, more)));
  } else {
    BERTH_RETURN_IF_ERROR(print(comparison_table(problem, comparison, loaded.costs)));
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

}  // namespace

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
