// SPDX-License-Identifier: Apache-2.0
#include "services/compare/sweep.h"

#include <algorithm>

#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/units.h"
#include "files/output_path.h"
#include "services/json/comparison_json.h"
#include "services/words.h"

namespace berth::app {
namespace {

struct SweepFlags {
  ProblemFlags problem;
  SearchFlags search;
  std::string planner = "auto", over, plot;
  bool json = false;
};

// `fullest` is, for every row, the memory that is fullest.
std::string sweep_table(const Sweep& sweep, const std::vector<SweepRow>& rows,
                        const std::vector<std::string>& fullest) {
  double most = 0.0;
  for (const SweepRow& row : rows) most = std::max(most, rate(sweep, row));
  const bool samples = sweep.thing == SweptThing::kBatch;
  Table table = Table::headed({">" + sweep.name, ">step time", ">" + std::string(samples ? "samples/s" : "steps/s"),
                               ">to first", ">gap", "", "fullest memory"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    if (!row.outcome.feasible()) {
      table.add({row.value, alarm(why_none(row)), "-", "-", "-", "", fullest[i]});
      continue;
    }
    const double first = rate(sweep, rows.front());
    constexpr std::size_t kWidth = 30;
    const auto length = static_cast<std::size_t>(rate(sweep, row) / most * static_cast<double>(kWidth) + 0.5);
    table.add({row.value, format_time(row.outcome.score.step_time), format_count(rate(sweep, row)),
               first > 0.0 ? fmt::format("{:.2f}x", rate(sweep, row) / first) : "-",
               gap_text(row.outcome.score.step_time, row.outcome.lower_bound), std::string(length, '#'),
               fullest[i] + (row.outcome.interrupted ? ", cut short" : "")});
  }
  for (const std::string& value : values_not_run(sweep, rows)) table.add({value, "not run", "-", "-", "-", "", ""});
  return table.text();
}

Result<Exit> run_sweep(const SweepFlags& flags) {
  BERTH_TRY(const ChosenPlanner planner, planner_catalog().find(flags.planner));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(const Sweep sweep, parse_sweep(flags.over));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.plot, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  SweepDocument document(request, sweep);
  std::vector<std::string> fullest;
  const auto take = [&](const SweepRow& row, const LoadedProblem& loaded) {
    fullest.push_back(row.outcome.error ? "" : fullest_memory(loaded.problem, row.outcome.score));
    document.add(row, loaded);
  };
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const std::vector<SweepRow> rows, berth::run_sweep(request, sweep, planner, budget, caller, take));
  const std::optional<Error> failure = failure_of(sweep, rows);
  if (rows.empty()) return *failure;
  if (flags.json) {
    BERTH_RETURN_IF_ERROR(print(std::move(document).end(rows)));
  } else {
    BERTH_RETURN_IF_ERROR(
        print(fmt::format("{} on {}, planner {}\n{}{}\n", bold(request.graph), bold(request.machine),
                          clean(flags.planner), sweep_table(sweep, rows, fullest), ending(sweep, rows))));
  }
  if (!flags.plot.empty()) {
    BERTH_RETURN_IF_ERROR(save_plot(
        flags.plot, fmt::format("{} on {}, planner {}", request.graph, request.machine, flags.planner), sweep, rows));
    if (!flags.json) BERTH_RETURN_IF_ERROR(print(fmt::format("plot written to {}\n", clean(flags.plot))));
  }
  if (failure) return *failure;
  return Exit::kDone;
}

}  // namespace

void add_sweep_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<SweepFlags>(
      app, exit, "sweep", "one plan per batch size, number of devices or bandwidth: where more stops paying",
      run_sweep);
  flags.search.budget = "2s";
  add_problem_flags(command, flags.problem);
  add_text(command, "--over", flags.over, "NAME=A,B,C",
           "what changes: devices=1,2,4 (accelerators, the first so many), batch=32,64 (a parameter of a zoo model, "
           "or an open size of a file), or a figure of the machine as in --set: link.*.bandwidth=1x,2x,4x")
      ->required();
  command.add_option("-p,--planner", flags.planner, "who plans (berth planners)")->capture_default_str();
  add_search_flags(command, flags.search);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  add_file_flag(command, "--plot", flags.plot, "write a plot to this file, as an SVG picture");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth sweep zoo:nmt-4 --machine k40x8 --over devices=1,2,4,8 --plot devices.svg\n"
      "  berth sweep zoo:rnnlm --machine k40x2 --over batch=16,32,64,128\n"
      "  berth sweep zoo:nmt-4 --machine k40x4 --over 'link.*.bandwidth=0.5x,1x,2x,4x'");
}

}  // namespace berth::app
