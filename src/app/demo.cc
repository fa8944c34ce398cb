// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "services/compare/compare.h"
#include "services/json/comparison_json.h"

namespace berth::app {
namespace {

constexpr const char* kBudget = "5s";  // for the planner that searches
constexpr std::array<std::string_view, 5> kShown{"gpu-only", "expert", "metis", "m-etf", "auto"};  // those built
constexpr const char* kTry = "Try: berth place zoo:nmt-4 --machine k40x4 -o plan.json\n";

std::string sentence(const std::vector<Outcome>& rows) {
  const Outcome& best = rows.front();
  const Outcome& one_gpu = *std::ranges::find(rows, "gpu-only", &Outcome::planner);
  const std::string on_one = one_gpu.feasible() ? fmt::format("takes {}", format_time(one_gpu.score.step_time))
                                                : std::string("does not fit in memory");
  return fmt::format(
      "\nOne training step of a translation model with four LSTM layers, unrolled, on a host with four K40 GPUs: on "
      "one GPU it {},\n"
      "and the best of these plans, by '{}', takes {}.\n",
      on_one, best.planner, format_time(best.score.step_time));
}

struct DemoFlags {
  bool json = false;
};

Result<Exit> run_demo(const DemoFlags& flags) {
  std::vector<ChosenPlanner> planners;
  for (const std::string_view name : kShown) {
    if (const PlannerInfo* info = find_classical_planner(name)) planners.push_back(chosen(*info));
  }
  TerminalCaller caller(!flags.json);
  BERTH_TRY(const Budget budget, budget_of({.budget = kBudget}));
  BERTH_TRY(const CompareAnswer answer, compare({.problem = {.graph = "zoo:nmt-4", .machine = "k40x4"},
                                                 .planners = std::move(planners),
                                                 .budget = budget},
                                                caller));
  if (flags.json) return printed(comparison_json(answer));
  const std::vector<Outcome>& rows = answer.comparison.rows;
  const bool whole = std::ranges::none_of(rows, &Outcome::interrupted);
  return printed(comparison_page(answer) + (whole ? sentence(rows) : "\n") + kTry);
}

}  // namespace

void add_demo_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<DemoFlags>(
      app, exit, "demo", "a first look: planners place a translation model on four GPUs", run_demo);
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth demo");
}

}  // namespace berth::app
