// SPDX-License-Identifier: Apache-2.0
#include "services/json/bench_json.h"

#include "files/json/json_writer.h"

namespace berth {
namespace {

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::optional<double> seconds_of(std::optional<Picoseconds> time) {
  return time ? std::optional(to_seconds(*time)) : std::nullopt;
}

std::optional<double> ratio_of(std::optional<Picoseconds> time, std::optional<Picoseconds> base) {
  if (!time || !base || *base <= 0) return std::nullopt;
  return static_cast<double>(*time) / static_cast<double>(*base);
}

void write_suite_row(JsonWriter& json, const BenchRow& row) {
  const SuiteRow& problem = row.problem;
  json.members("name", problem.name, "graph", problem.graph, "machine", if_any(problem.machine), "set",
               if_any(problem.setting), "why", problem.why, "ops", row.ops, "edges", row.edges, "devices", row.devices,
               "lower_bound_s", to_seconds(row.lower_bound), "optimum_s", seconds_of(problem.optimum));
}

void write_bench_run(JsonWriter& json, const BenchRun& run) {
  const bool fits = run.state == RunState::kFits;
  json.members("seed", run.seed, "state", name_of(run.state), "step_time_s",
               fits ? std::optional(to_seconds(run.step_time)) : std::nullopt, "evaluations", run.evaluations,
               "search_s", run.search_s, "late", run.late, "note", run.note);
}

void write_bench_cell(JsonWriter& json, const BenchRow& row, const std::string& name, const BenchCell& cell) {
  const std::optional<Picoseconds> median = cell.median();
  const bool any = cell.fitting() > 0;
  json.members("planner", name, "median_s", seconds_of(median), "least_s",
               any ? std::optional(to_seconds(cell.least())) : std::nullopt, "most_s",
               any ? std::optional(to_seconds(cell.most())) : std::nullopt, "to_known", ratio_of(median, row.known()),
               "to_best", ratio_of(median, row.best()));
  json.objects("runs", cell.runs, [&](const BenchRun& run) { write_bench_run(json, run); });
}

void write_bench_row(JsonWriter& json, const BenchAnswer& answer, const BenchRow& row) {
  write_suite_row(json, row);
  json.members("complete", row.is_complete(), "best_s", seconds_of(row.best()));
  json.key("planners").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    json.begin_object(JsonLayout::kLines);
    write_bench_cell(json, row, answer.contestants[i], row.cells[i]);
    json.end_object();
  }
  json.end_array();
}

void write_standing(JsonWriter& json, const BenchAnswer& answer, const Standing& standing) {
  const auto if_has = [&](double mean) { return standing.has > 0 ? std::optional(mean) : std::nullopt; };
  json.members("planner", answer.contestants[standing.contestant], "has", standing.has, "lacks", standing.lacks,
               "to_known", if_has(standing.to_known), "to_best", if_has(standing.to_best), "best_on", standing.best_on,
               "optimal_on", standing.optimal_on, "optima", standing.optima, "worst",
               standing.worst ? std::optional(answer.rows[*standing.worst].problem.name) : std::nullopt,
               "worst_to_best", if_has(standing.worst_to_best), "evaluations", standing.evaluations, "search_s",
               standing.search_s, "failed_runs", standing.failed_runs, "late_runs", standing.late_runs);
}

}  // namespace

std::string bench_json(const BenchAnswer& answer) {
  return json_document([&](JsonWriter& json) {
    const bool timed = answer.budget.evaluations == 0;
    json.members("format", "berth-bench/1", "suite", answer.suite, "made_by", answer.made_by, "evaluations",
                 timed ? std::nullopt : std::optional(answer.budget.evaluations), "budget_s",
                 timed ? std::optional(answer.budget.time_s) : std::nullopt, "threads", answer.budget.threads,
                 "first_seed", answer.budget.seed, "seeds", answer.seeds, "runs", answer.runs, "runs_done",
                 answer.runs_done, "interrupted", answer.interrupted());
    json.objects("standings", standings(answer),
                 [&](const Standing& standing) { write_standing(json, answer, standing); });
    json.objects(
        "problems", answer.rows, [&](const BenchRow& row) { write_bench_row(json, answer, row); }, JsonLayout::kLines);
    json.list("remarks", remarks(answer), JsonLayout::kLines);
  });
}

std::string suites_json() {
  return json_document([&](JsonWriter& json) {
    json.objects("suites", suites(), [&](const Suite& suite) {
      json.members("name", suite.name, "version", suite.version, "summary", suite.summary, "problems",
                   suite.rows.size());
    });
  });
}

std::string suite_json(const Suite& suite, const std::vector<BenchRow>& rows) {
  return json_document([&](JsonWriter& json) {
    json.members("format", "berth-suite/1", "name", suite.name, "version", suite.version, "whole", suite.is_whole,
                 "summary", suite.summary);
    json.objects("problems", rows, [&](const BenchRow& row) { write_suite_row(json, row); });
  });
}

}  // namespace berth
