// SPDX-License-Identifier: Apache-2.0
#include "services/compare/compare.h"

#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "services/json/comparison_json.h"

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

Result<Exit> run_compare(const CompareFlags& flags) {
  BERTH_TRY(std::vector<ChosenPlanner> planners,
            planner_catalog().find_all(flags.planners, learning_of(flags.learned, flags.env)));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(JudgeRequest judge, request_of(flags.env));
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  const CompareRequest request{std::move(problem), std::move(planners), flags.plans, std::move(judge), budget};
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const CompareAnswer answer, compare(request, caller));
  BERTH_RETURN_IF_ERROR(print(flags.json ? comparison_json(answer) : comparison_page(answer)));
  if (const auto failure = failure_of(answer)) return *failure;
  return Exit::kDone;
}

}  // namespace

void add_compare_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<CompareFlags>(app, exit, "compare", "run several planners: one row each, best first", run_compare);
  add_problem_flags(command, flags.problem);
  command.add_option("--planners", flags.planners, "a,b,c or all, classical, learned")->capture_default_str();
  add_texts(command, "--plan", flags.plans, "FILE",
            "also a row for this plan, in any format that berth score reads; may be repeated");
  add_search_flags(command, flags.search);
  add_learned_flags(command, flags.learned);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  add_env_flags(command, flags.env);
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth compare zoo:nmt-4 --machine k40x4 --planners gpu-only,expert,round-robin,random\n"
      "  berth compare gnmt_training.json --planners single,expert    (an MSR problem brings devices and objective)\n"
      "  berth compare gnmt.pb --machine box.toml --costs gnmt.csv    (with a row for the placement in the file)");
}

}  // namespace berth::app
