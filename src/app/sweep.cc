// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "app/catalog.h"
#include "app/commands.h"
#include "app/json_output.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/resolve.h"
#include "app/sweep_point.h"
#include "base/text.h"
#include "io/files.h"
#include "report/plot.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

using enum Table::Align;

struct SweepFlags {
  ProblemFlags problem;
  SearchFlags search;
  std::string planner = "auto", over, plot;
  bool json = false;
};

struct SweepRow {
  std::string value;
  Outcome outcome;
  std::string fullest = {};
};

// How much is done per second: samples for a sweep over batch sizes, steps otherwise.
double rate(const Sweep& sweep, const SweepRow& row) {
  const double step_s = to_seconds(row.outcome.score.step_time);
  return row.outcome.feasible() && step_s > 0.0 ? sweep.weight(row.value) / step_s : 0.0;
}

std::string rate_name(const Sweep& sweep) { return sweep.name == "batch" ? "samples per second" : "steps per second"; }

using RowPlace = std::vector<SweepRow>::const_iterator;

RowPlace best_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  return std::ranges::max_element(rows, {}, [&](const SweepRow& row) { return rate(sweep, row); });
}

// The first value beyond which little is gained.
RowPlace enough_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  constexpr double kLittle = 0.05;
  const double most = rate(sweep, *best_of(sweep, rows));
  return std::ranges::find_if(rows, [&](const SweepRow& row) { return rate(sweep, row) * (1.0 + kLittle) >= most; });
}

// "beyond 4 little is gained: the best, 8, is 3 % faster".
std::string verdict(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  const auto best = best_of(sweep, rows), enough = enough_of(sweep, rows);
  if (rate(sweep, *best) <= 0.0) return "no value gives a plan that fits in memory\n";
  if (enough == best && best == rows.begin()) {
    return fmt::format("{} = {} is best: nothing beyond it pays\n", sweep.name, best->value);
  }
  if (enough == best) {
    return fmt::format("{} = {} is best, and nothing before it comes within 5 %\n", sweep.name, best->value);
  }
  return fmt::format("beyond {} = {} little is gained: the most {}, at {}, are only {} more\n", sweep.name,
                     enough->value, rate_name(sweep), best->value,
                     percent(rate(sweep, *best) / rate(sweep, *enough) - 1.0));
}

std::string sweep_table(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  double most = 0.0;
  for (const SweepRow& row : rows) most = std::max(most, rate(sweep, row));
  const bool samples = sweep.name == "batch";
  Table table({kRight, kRight, kRight, kRight, kRight, kLeft, kLeft});
  table.add({sweep.name, "step time", samples ? "samples/s" : "steps/s", "to first", "gap", "", "fullest memory"});
  for (const SweepRow& row : rows) {
    if (!row.outcome.feasible()) {
      table.add({row.value, alarm(row.outcome.error ? "no plan" : "OOM"), "-", "-", "-", "", row.fullest});
      continue;
    }
    const double first = rate(sweep, rows.front());
    constexpr std::size_t kWidth = 30;
    const auto length = static_cast<std::size_t>(rate(sweep, row) / most * static_cast<double>(kWidth) + 0.5);
    table.add({row.value, format_seconds(to_seconds(row.outcome.score.step_time)), format_count(rate(sweep, row)),
               first > 0.0 ? fmt::format("{:.2f}x", rate(sweep, row) / first) : "-",
               gap_text(row.outcome.score.step_time, row.outcome.lower_bound), std::string(length, '#'), row.fullest});
  }
  return table.text();
}

Status save_plot(const SweepFlags& flags, const Sweep& sweep, const std::vector<SweepRow>& rows) {
  report::Plot plot;
  plot.title = fmt::format("{} on {}, planner {}", flags.problem.graph, flags.problem.machine, flags.planner);
  plot.verdict = trim(verdict(sweep, rows));
  plot.x_name = sweep.name;
  plot.y_name = rate_name(sweep);
  for (const SweepRow& row : rows) {
    report::Plot::Point point{row.value, std::nullopt, std::nullopt, row.outcome.error ? "no plan" : "OOM"};
    if (row.outcome.feasible()) point.rate = rate(sweep, row);
    const double bound_s = to_seconds(row.outcome.lower_bound);
    if (bound_s > 0.0) point.bound = sweep.weight(row.value) / bound_s;
    plot.points.push_back(std::move(point));
  }
  const auto enough = enough_of(sweep, rows);
  if (enough->outcome.feasible()) plot.enough = static_cast<std::size_t>(enough - rows.begin());
  return write_file_atomically(flags.plot, report::svg_of(plot));
}

Result<std::vector<SweepRow>> run_points(const SweepFlags& flags, const Sweep& sweep, const ChosenPlanner& planner,
                                         const Budget& budget, JsonWriter& json) {
  std::vector<SweepRow> rows;
  for (const std::string& value : sweep.values) {
    if (InterruptGuard::flag()) break;
    BERTH_TRY(const ProblemFlags point, problem_at(flags.problem, sweep, value));
    Result<ResolvedProblem> resolved = resolve_problem(point);
    if (!resolved) return within(fmt::format("{} = {}", sweep.name, value), resolved.error());
    const Problem& problem = resolved->problem;
    SweepRow row{value, run_planner(problem, planner, budget, lower_bound(problem).value(), !flags.search.quiet)};
    if (!row.outcome.error) row.fullest = fullest_memory(problem, row.outcome.score);
    json.begin_object(JsonLayout::kLines).key("value").value(value);
    json.key("per_second").value(rate(sweep, row));
    write_outcome(json, problem, row.outcome, std::nullopt);
    json.end_object();
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Exit> run_sweep(const SweepFlags& flags) {
  BERTH_TRY(const ChosenPlanner planner, find_planner(flags.planner));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(const Sweep sweep, parse_sweep(flags.over));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.plot));
  const InterruptGuard guard;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines)
      .key("graph")
      .value(flags.problem.graph)
      .key("machine")
      .value(flags.problem.machine);
  json.key("over").value(sweep.name).key("rows").begin_array(JsonLayout::kLines);
  BERTH_TRY(const std::vector<SweepRow> rows, run_points(flags, sweep, planner, budget, json));
  if (rows.empty()) return infeasible("interrupted before the first plan was found");
  json.end_array().key("verdict").value(trim(verdict(sweep, rows))).end_object();
  const std::string title = fmt::format("{} on {}, planner {}\n", bold(flags.problem.graph),
                                        bold(flags.problem.machine), clean(flags.planner));
  BERTH_RETURN_IF_ERROR(
      print(flags.json ? std::move(json).take() : title + sweep_table(sweep, rows) + verdict(sweep, rows)));
  if (!flags.plot.empty()) {
    BERTH_RETURN_IF_ERROR(save_plot(flags, sweep, rows));
    if (!flags.json) BERTH_RETURN_IF_ERROR(print(fmt::format("plot written to {}\n", clean(flags.plot))));
  }
  const bool any = std::ranges::any_of(rows, [](const SweepRow& row) { return row.outcome.feasible(); });
  if (any) return Exit::kDone;
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
  command->callback([flags, &exit] { exit = finish(run_sweep(*flags)); });
}

}  // namespace berth::app
