// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/catalog.h"
#include "app/commands.h"
#include "app/compare_planners.h"
#include "app/output.h"
#include "app/resolve.h"

namespace berth::app {
namespace {

constexpr const char* kSentence =
    "\nOne training step of a translation model with four LSTM layers, statically unrolled, on a host with four K40 "
    "GPUs:\n"
    "one GPU is too small for it, spreading ops blindly drowns in transfers, and one layer per GPU fits and overlaps.\n"
    "Try: berth place zoo:nmt-4 --machine k40x4 -o plan.json\n";

Result<Exit> run_demo() {
  BERTH_TRY(const std::vector<PlannerInfo> planners, find_planners("cpu-only,gpu-only,expert,round-robin,random"));
  BERTH_TRY(const Problem problem, resolve_problem("zoo:nmt-4", "k40x4"));
  const std::vector<Outcome> rows = compare_planners(problem, planners, Budget{}, true);
  BERTH_RETURN_IF_ERROR(print(comparison_table(problem, rows) + kSentence));
  return Exit::kDone;
}

}  // namespace

void add_demo_command(CLI::App& app, Exit& exit) {
  CLI::App* command = app.add_subcommand("demo", "a first look: five planners place a translation model on four GPUs");
  command->footer("Example:\n  berth demo");
  command->callback([&exit] { exit = finish(run_demo()); });
}

}  // namespace berth::app
