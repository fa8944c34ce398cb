// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "app/commands.h"
#include "app/flags/options.h"
#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "services/compare/compare.h"
#include "services/problem/problem_request.h"

namespace berth::app {
namespace {

constexpr const char* kBudget = "5s";  // for the planner that searches
constexpr std::array<std::string_view, 5> kShown{"gpu-only", "expert", "metis", "m-etf", "auto"};  // those built
constexpr const char* kTry = "Try: berth place zoo:nmt-4 --machine k40x4 -o plan.json\n";

std::string sentence(const std::vector<Outcome>& rows) {
  const Outcome& best = rows.front();
  const Outcome& one_gpu = *std::ranges::find(rows, "gpu-only", &Outcome::planner);
  const std::string on_one = one_gpu.feasible()
                                 ? fmt::format("takes {}", format_seconds(to_seconds(one_gpu.score.step_time)))
                                 : std::string("does not fit in memory");
  return fmt::format(
      "\nOne training step of a translation model with four LSTM layers, unrolled, on a host with four K40 GPUs: on "
      "one GPU it {},\n"
      "and the best of these plans, by '{}', takes {}.\n",
      on_one, best.planner, format_seconds(to_seconds(best.score.step_time)));
}

Result<Exit> run_demo(bool json) {
  std::vector<ChosenPlanner> planners;
  for (const std::string_view name : kShown) {
    if (const PlannerInfo* info = find_classical_planner(name)) planners.push_back(chosen(*info));
  }
  TerminalCaller caller(!json);
  BERTH_TRY(const LoadedProblem loaded, load_problem({.graph = "zoo:nmt-4", .machine = "k40x4"}, caller));
  const Problem& problem = loaded.problem;
  BERTH_TRY(const Budget budget, budget_of({.budget = kBudget}));
  const Comparison comparison = compare(problem, planners, budget, {}, caller);
  const std::vector<Outcome>& rows = comparison.rows;
  const bool whole = std::ranges::none_of(rows, &Outcome::interrupted);
  BERTH_RETURN_IF_ERROR(print(json ? comparison_json(loaded, comparison)
                                   : comparison_table(problem, comparison) + (whole ? sentence(rows) : "\n") + kTry));
  return Exit::kDone;
}

}  // namespace

void add_demo_command(CLI::App& app, Exit& exit) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("demo", "a first look: planners place a translation model on four GPUs");
  add_json_flag(*command, *json);
  command->footer("Example:\n  berth demo");
  command->callback([json, &exit] { exit = finish(run_demo(*json)); });
}

}  // namespace berth::app
