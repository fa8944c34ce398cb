// SPDX-License-Identifier: Apache-2.0
#include "services/json/comparison_json.h"

#include <algorithm>

#include "services/json/outcome_json.h"

namespace berth {
namespace {

void write_bucket(JsonWriter& json, const PlacedBuckets& placed, std::size_t bucket) {
  const auto write_plan = [&](const char* key, const Outcome& outcome) {
    const auto write = [&] { write_outcome(json, placed.problems[bucket], outcome, std::nullopt); };
    json.object(key, write, JsonLayout::kLines);
  };
  json.begin_object(JsonLayout::kLines).object("dims", [&] {
    for (const auto& [name, size] : placed.buckets[bucket].sizes) json.members(name, size);
  });
  json.members("regret", placed.shared.empty() ? std::nullopt : placed.regrets[bucket]);
  write_plan("own", placed.own[bucket]);
  if (!placed.shared.empty()) write_plan("shared", placed.shared[bucket]);
  json.end_object();
}

}  // namespace

std::string comparison_json(const CompareAnswer& answer) {
  const Problem& problem = answer.loaded.problem;
  const std::vector<Outcome>& rows = answer.comparison.rows;
  return json_document([&](JsonWriter& json) {
    json.members("title", problem.graph().title(), "machine", problem.machine().name(), "objective",
                 objective_name(problem.objective()), "interrupted", std::ranges::any_of(rows, &Outcome::interrupted));
    const auto write_row = [&](const Outcome& row) { write_outcome(json, problem, row, answer.comparison.single); };
    json.objects("rows", rows, write_row, JsonLayout::kLines);
    if (!rows.empty()) write_single(json, rows.front(), answer.comparison.single);
    write_costs(json, answer.loaded.costs);
    write_notes(json, answer.loaded.notes);
    if (!answer.before) return;
    write_change(json, answer.before->loaded.problem.machine(), answer.before->comparison.rows.front(), rows.front());
  });
}

std::string buckets_json(const PlacedBuckets& placed) {
  const Problem& first = placed.problems.front();
  return json_document([&](JsonWriter& json) {
    json.members("title", first.graph().title(), "machine", first.machine().name(), "objective",
                 objective_name(first.objective()), "feasible", placed.feasible(), "interrupted", placed.interrupted);
    if (placed.error) {
      json.members("error", placed.error->message);
    } else {
      const bool fits = placed.feasible();
      json.members("note", placed.note, "worst_regret", fits ? placed.regrets[placed.worst()] : std::nullopt,
                   "mean_regret", fits ? std::optional(placed.mean_regret()) : std::nullopt);
    }
    json.key("buckets").begin_array(JsonLayout::kLines);
    for (std::size_t i = 0; i < placed.buckets.size(); ++i) write_bucket(json, placed, i);
    json.end_array();
    write_notes(json, placed.notes);
  });
}

std::string diff_json(const DiffAnswer& answer) {
  return json_document([&](JsonWriter& json) {
    const auto& [moves, before_s, after_s, effect] = answer;
    json.members("ops", moves.ops, "moved", moves.total(), "simulated", effect.has_value());
    json.members("step_time_before_s", before_s, "step_time_after_s", after_s);
    json.objects("ways", moves.count, [&](const auto& entry) {
      json.members("from", entry.first.first, "to", entry.first.second, "ops", entry.second);
    });
    json.list("moved_ops", moves.names, JsonLayout::kLines);
    if (!effect) return;
    json.key("parts").begin_array();
    for (const auto& [name, count] : effect->parts)
      json.begin_object().members("name", name, "ops", count).end_object();
    json.end_array();
  });
}

SweepDocument::SweepDocument(const ProblemRequest& request, const Sweep& sweep) : sweep_(sweep) {
  json_.begin_object(JsonLayout::kLines).members("graph", request.graph, "machine", request.machine);
  json_.members("over", sweep.name).key("rows").begin_array(JsonLayout::kLines);
}

void SweepDocument::add(const SweepRow& row, const LoadedProblem& loaded) {
  json_.begin_object(JsonLayout::kLines).members("value", row.value, "per_second", rate(sweep_, row));
  write_outcome(json_, loaded.problem, row.outcome, std::nullopt);
  write_notes(json_, loaded.notes);
  json_.end_object();
}

std::string SweepDocument::end(const std::vector<SweepRow>& rows) && {
  json_.end_array().members("interrupted", is_interrupted(sweep_, rows));
  json_.list("cut_short", values_cut_short(rows)).list("not_run", values_not_run(sweep_, rows));
  json_.members("verdict", verdict(sweep_, rows)).end_object();
  return std::move(json_).take();
}

}  // namespace berth
