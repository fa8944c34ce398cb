// SPDX-License-Identifier: Apache-2.0
#include "app/output/json_output.h"

#include <algorithm>

#include "app/output/input_output.h"
#include "app/output/pipeline_output.h"
#include "problem/crossings.h"
#include "services/plan/single_device.h"

namespace berth::app {
namespace {

void write_devices(JsonWriter& json, const Problem& problem, const Outcome& outcome) {
  const Machine& machine = problem.machine();
  const std::vector<std::size_t> ops = ops_per_device(problem, outcome.plan);
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = outcome.score.devices[index(id)];
    json.begin_object().key("name").value(machine.device(id).name).key("busy_s").value(to_seconds(use.busy));
    json.key("peak_bytes").value(use.peak).key("capacity_bytes").value(problem.capacity(id));
    json.key("ops").value(ops[index(id)]).end_object();
  }
  json.end_array();
}

void write_links(JsonWriter& json, const Problem& problem, const Score& score) {
  json.key("links").begin_array(JsonLayout::kLines);
  for (std::size_t queue = 0; queue < score.queues.size(); ++queue) {
    json.begin_object().key("name").value(problem.machine().queues()[queue]);
    json.key("busy_s")
        .value(to_seconds(score.queues[queue].busy))
        .key("bytes")
        .value(score.queues[queue].bytes)
        .end_object();
  }
  json.end_array();
}

void write_pools(JsonWriter& json, const Problem& problem, const Score& score) {
  json.key("pools").begin_array(JsonLayout::kLines);
  for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool) {
    json.begin_object().key("name").value(problem.machine().pools()[pool].name);
    json.key("peak_bytes").value(score.pool_peaks[pool]);
    json.key("capacity_bytes").value(problem.pool_capacity(static_cast<int>(pool))).end_object();
  }
  json.end_array();
}

void write_overflow(JsonWriter& json, const Problem& problem, const Score& score) {
  json.key("overflow");
  if (!score.overflow) {
    json.null();
    return;
  }
  const Overflow& overflow = *score.overflow;
  json.begin_object().key("device").value(problem.machine().device(overflow.device).name).key("pool");
  if (overflow.pool < 0) {
    json.null();
  } else {
    json.value(problem.machine().pools()[static_cast<std::size_t>(overflow.pool)].name);
  }
  json.key("op");
  if (overflow.op == kNoOp) {
    json.null();
  } else {
    json.value(problem.graph().name(overflow.op));
  }
  json.key("time_s").value(to_seconds(overflow.time)).key("bytes_over").value(overflow.over).end_object();
}

}  // namespace

void write_single(JsonWriter& json, const Outcome& best, const std::optional<Outcome>& single) {
  if (!single || single->error) return;
  const std::optional<double> value_s = single->value_s();
  const SingleVerdict verdict = judge_single(best, single);
  const bool proved = verdict == SingleVerdict::kBestProved;
  json.key("best_single_device").begin_object();
  json.key("objective_value_s").value(value_s).key("step_time_s").value(value_s);
  json.key("feasible").value(single->score.feasible).key("note").value(single->note);
  json.key("is_best_found").value(proved || verdict == SingleVerdict::kBestFound);
  json.key("is_proved_best").value(proved).end_object();
}

void write_outcome(JsonWriter& json, const Problem& problem, const Outcome& outcome,
                   const std::optional<Outcome>& single) {
  const bool has_plan = !outcome.error;
  const std::optional<double> value_s = outcome.value_s();
  json.key("planner").value(outcome.planner).key("note").value(outcome.note);
  if (!outcome.fusion.empty()) json.key("fusion").value(outcome.fusion);
  if (!outcome.schedule.empty()) json.key("schedule").value(outcome.schedule);
  json.key("title").value(problem.graph().title()).key("machine").value(problem.machine().name());
  if (outcome.plan_machine) json.key("plan_machine").value(*outcome.plan_machine);
  json.key("objective").value(objective_name(problem.objective()));
  json.key("objective_value_s").value(value_s).key("step_time_s").value(value_s);
  if (const auto range = step_range(problem, outcome)) {
    json.key("step_time_range_s").begin_array().value(range->low_s).value(range->high_s).end_array();
  }
  json.key("feasible").value(outcome.feasible());
  json.key("lower_bound_s").value(to_seconds(outcome.lower_bound));
  json.key("search_s").value(outcome.search_s).key("evaluations").value(outcome.evaluations);
  json.key("seed").value(outcome.seed).key("interrupted").value(outcome.interrupted);
  json.key("ops").value(problem.graph().num_ops()).key("edges").value(problem.graph().num_edges());
  if (!has_plan) {
    json.key("error").value(outcome.error->message);
    json.key("devices").begin_array().end_array().key("links").begin_array().end_array();
    return;
  }
  json.key("vs_single").value(ratio_to_single(outcome, single));
  json.key("slower_than_single").value(is_slower_than_single(outcome, single));
  const double joules = joules_per_step(problem.machine(), outcome.score);
  json.key("joules").value(value_s ? std::optional(joules) : std::nullopt);
  json.key("imbalance").value(imbalance(problem.machine(), outcome.score));
  json.key("bytes_crossed").value(bytes_crossed(problem.graph(), outcome.plan));
  const FusedCount fused = count_fused(outcome.plan);
  json.key("fused_groups").value(fused.groups).key("fused_ops").value(fused.ops);
  if (problem.objective() == Objective::kPipeline) write_pace(json, problem, outcome.plan);
  write_overflow(json, problem, outcome.score);
  write_devices(json, problem, outcome);
  write_pools(json, problem, outcome.score);
  write_links(json, problem, outcome.score);
}

void write_timeline(JsonWriter& json, const Problem& problem, const Timeline& timeline) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  json.key("events").begin_array(JsonLayout::kLines);
  for (const OpEvent& event : timeline.ops) {
    json.begin_object().key("op").value(graph.name(event.op)).key("device").value(machine.device(event.device).name);
    json.key("start_s").value(to_seconds(event.start)).key("end_s").value(to_seconds(event.end)).end_object();
  }
  json.end_array().key("transfers").begin_array(JsonLayout::kLines);
  for (const TransferEvent& event : timeline.transfers) {
    json.begin_object().key("op").value(graph.name(graph.producer(event.tensor)));
    json.key("output").value(graph.output_index(event.tensor));
    json.key("from").value(machine.device(event.from).name).key("to").value(machine.device(event.to).name);
    json.key("link").value(machine.channels()[static_cast<std::size_t>(event.channel)].name);
    json.key("start_s").value(to_seconds(event.start)).key("end_s").value(to_seconds(event.end));
    json.key("bytes").value(event.bytes).end_object();
  }
  json.end_array();
}

std::string outcome_json(const LoadedProblem& loaded, const Outcome& outcome, const std::optional<Outcome>& single,
                         const std::optional<Timeline>& timeline, const MoreMembers& more) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_outcome(json, loaded.problem, outcome, single);
  write_single(json, outcome, single);
  write_costs(json, loaded.costs);
  write_notes(json, loaded.notes);
  if (timeline) write_timeline(json, loaded.problem, *timeline);
  if (more) more(json);
  json.end_object();
  return std::move(json).take();
}

std::string comparison_json(const LoadedProblem& loaded, const Comparison& comparison, const MoreMembers& more) {
  const Problem& problem = loaded.problem;
  const std::vector<Outcome>& rows = comparison.rows;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  json.key("title").value(problem.graph().title()).key("machine").value(problem.machine().name());
  json.key("objective").value(objective_name(problem.objective()));
  json.key("interrupted").value(std::ranges::any_of(rows, &Outcome::interrupted));
  json.key("rows").begin_array(JsonLayout::kLines);
  for (const Outcome& row : rows) {
    json.begin_object(JsonLayout::kLines);
    write_outcome(json, problem, row, comparison.single);
    json.end_object();
  }
  json.end_array();
  if (!rows.empty()) write_single(json, rows.front(), comparison.single);
  write_costs(json, loaded.costs);
  write_notes(json, loaded.notes);
  if (more) more(json);
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
