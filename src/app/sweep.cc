// SPDX-License-Identifier: Apache-2.0
#include "services/compare/sweep.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/input_output.h"
#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "report/plot.h"
#include "services/output_path.h"
#include "services/words.h"

namespace berth::app {
namespace {

using enum Table::Align;

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
  const bool samples = sweep.name == "batch";
  Table table({kRight, kRight, kRight, kRight, kRight, kLeft, kLeft});
  table.add({sweep.name, "step time", samples ? "samples/s" : "steps/s", "to first", "gap", "", "fullest memory"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    if (!row.outcome.feasible()) {
      table.add({row.value, alarm(why_none(row)), "-", "-", "-", "", fullest[i]});
      continue;
    }
    const double first = rate(sweep, rows.front());
    constexpr std::size_t kWidth = 30;
    const auto length = static_cast<std::size_t>(rate(sweep, row) / most * static_cast<double>(kWidth) + 0.5);
    table.add({row.value, format_seconds(to_seconds(row.outcome.score.step_time)), format_count(rate(sweep, row)),
               first > 0.0 ? fmt::format("{:.2f}x", rate(sweep, row) / first) : "-",
               gap_text(row.outcome.score.step_time, row.outcome.lower_bound), std::string(length, '#'),
               fullest[i] + (row.outcome.interrupted ? ", cut short" : "")});
  }
  for (const std::string& value : values_not_run(sweep, rows)) table.add({value, "not run", "-", "-", "-", "", ""});
  return table.text();
}

report::Plot::Point plot_point(const Sweep& sweep, const SweepRow& row) {
  report::Plot::Point point{row.value, std::nullopt, std::nullopt, row.outcome.interrupted ? "cut short" : ""};
  if (row.outcome.feasible()) {
    point.rate = rate(sweep, row);
  } else {
    point.note = why_none(row);
  }
  const double bound_s = to_seconds(row.outcome.lower_bound);
  if (bound_s > 0.0) point.bound = sweep.weight(row.value) / bound_s;
  return point;
}

Status save_plot(const SweepFlags& flags, const Sweep& sweep, const std::vector<SweepRow>& rows) {
  report::Plot plot;
  plot.title = fmt::format("{} on {}, planner {}", flags.problem.graph, flags.problem.machine, flags.planner);
  plot.verdict = ending(sweep, rows);
  plot.x_name = sweep.name;
  plot.y_name = rate_name(sweep);
  for (const SweepRow& row : rows) plot.points.push_back(plot_point(sweep, row));
  for (const std::string& value : values_not_run(sweep, rows)) plot.points.push_back({value, {}, {}, "not run"});
  if (const auto enough = enough_of(sweep, rows)) plot.enough = static_cast<std::size_t>(*enough - rows.begin());
  return write_file_atomically(flags.plot, report::svg_of(plot));
}

// Members that say how far the sweep came, and what it shows.
void write_ending(JsonWriter& json, const Sweep& sweep, const std::vector<SweepRow>& rows) {
  const auto write_values = [&](const char* name, const std::vector<std::string>& values) {
    json.key(name).begin_array();
    for (const std::string& value : values) json.value(value);
    json.end_array();
  };
  json.key("interrupted").value(is_interrupted(sweep, rows));
  write_values("cut_short", values_cut_short(rows));
  write_values("not_run", values_not_run(sweep, rows));
  json.key("verdict");
  if (const auto words = verdict(sweep, rows)) {
    json.value(*words);
  } else {
    json.null();
  }
}

// A row of the document's member "rows".
void write_row(JsonWriter& json, const Sweep& sweep, const SweepRow& row, const LoadedProblem& loaded) {
  json.begin_object(JsonLayout::kLines).key("value").value(row.value);
  json.key("per_second").value(rate(sweep, row));
  write_outcome(json, loaded.problem, row.outcome, std::nullopt);
  write_notes(json, loaded.notes);
  json.end_object();
}

Result<Exit> sweep_over(const SweepFlags& flags) {
  BERTH_TRY(const ChosenPlanner planner, planner_catalog().find(flags.planner));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(const Sweep sweep, parse_sweep(flags.over));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.plot, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("graph").value(request.graph).key("machine").value(request.machine);
  json.key("over").value(sweep.name).key("rows").begin_array(JsonLayout::kLines);
  std::vector<std::string> fullest;
  const auto take = [&](const SweepRow& row, const LoadedProblem& loaded) {
    fullest.push_back(row.outcome.error ? "" : fullest_memory(loaded.problem, row.outcome.score));
    write_row(json, sweep, row, loaded);
  };
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const std::vector<SweepRow> rows, run_sweep(request, sweep, planner, budget, caller, take));
  if (rows.empty()) return infeasible("interrupted before the first plan was found");
  json.end_array();
  write_ending(json, sweep, rows);
  json.end_object();
  const std::string title = fmt::format("{} on {}, planner {}\n", bold(flags.problem.graph),
                                        bold(flags.problem.machine), clean(flags.planner));
  BERTH_RETURN_IF_ERROR(print(flags.json ? std::move(json).take()
                                         : title + sweep_table(sweep, rows, fullest) + ending(sweep, rows) + "\n"));
  if (!flags.plot.empty()) {
    BERTH_RETURN_IF_ERROR(save_plot(flags, sweep, rows));
    if (!flags.json) BERTH_RETURN_IF_ERROR(print(fmt::format("plot written to {}\n", clean(flags.plot))));
  }
  const bool any = std::ranges::any_of(rows, [](const SweepRow& row) { return row.outcome.feasible(); });
  if (any) return Exit::kDone;
  if (is_interrupted(sweep, rows)) return infeasible("interrupted before a plan that fits in memory was found");
  return infeasible("no value of {} gives a plan that fits in memory", sweep.name);
}

}  // namespace

void add_sweep_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<SweepFlags>();
  flags->search.budget = "2s";
  CLI::App* command =
      app.add_subcommand("sweep", "one plan per batch size, number of devices or bandwidth: where more stops paying");
  add_problem_flags(*command, flags->problem);
  command
      ->add_option(
          "--over", flags->over,
          "what changes: devices=1,2,4 (accelerators, the first so many), batch=32,64 (a parameter of a zoo model, "
          "or an open size of a file), or a figure of the machine as in --set: link.*.bandwidth=1x,2x,4x")
      ->type_name("NAME=A,B,C")
      ->required();
  command->add_option("-p,--planner", flags->planner, "who plans (berth planners)")->capture_default_str();
  add_search_flags(*command, flags->search);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  add_file_flag(*command, "--plot", flags->plot, "write a plot to this file, as an SVG picture");
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth sweep zoo:nmt-4 --machine k40x8 --over devices=1,2,4,8 --plot devices.svg\n"
      "  berth sweep zoo:rnnlm --machine k40x2 --over batch=16,32,64,128\n"
      "  berth sweep zoo:nmt-4 --machine k40x4 --over 'link.*.bandwidth=0.5x,1x,2x,4x'");
  command->callback([flags, &exit] { exit = finish(sweep_over(*flags)); });
}

}  // namespace berth::app
