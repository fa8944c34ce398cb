// SPDX-License-Identifier: Apache-2.0
#include "services/json/outcome_json.h"

#include <array>

#include "problem/plan.h"
#include "services/plan/single_device.h"
#include "services/words.h"
#include "sim/pipeline.h"

namespace berth {
namespace {

void write_devices(JsonWriter& json, const Problem& problem, const Outcome& outcome) {
  const std::vector<std::size_t> ops = ops_per_device(problem, outcome.plan);
  json.objects("devices", problem.machine().device_ids(), [&](DeviceId id) {
    const DeviceUse& use = outcome.score.devices[index(id)];
    json.members("name", problem.machine().device(id).name, "busy_s", to_seconds(use.busy), "peak_bytes", use.peak,
                 "capacity_bytes", problem.capacity(id), "ops", ops[index(id)]);
  });
}

void write_pools_and_links(JsonWriter& json, const Problem& problem, const Score& score) {
  int pool = 0;
  json.objects("pools", score.pool_peaks, [&](Bytes peak) {
    json.members("name", problem.machine().pools()[static_cast<std::size_t>(pool)].name, "peak_bytes", peak,
                 "capacity_bytes", problem.pool_capacity(pool));
    ++pool;
  });
  std::size_t queue = 0;
  json.objects("links", score.queues, [&](const QueueUse& use) {
    json.members("name", problem.machine().queues()[queue++], "busy_s", to_seconds(use.busy), "bytes", use.bytes);
  });
}

void write_overflow(JsonWriter& json, const Problem& problem, const std::optional<Overflow>& overflow) {
  if (!overflow) {
    json.key("overflow").null();
    return;
  }
  const auto& pools = problem.machine().pools();
  std::optional<std::string> pool, op;
  if (overflow->pool >= 0) pool = pools[static_cast<std::size_t>(overflow->pool)].name;
  if (overflow->op != kNoOp) op = problem.graph().name(overflow->op);
  json.object("overflow", [&] {
    json.members("device", problem.machine().device(overflow->device).name, "pool", pool, "op", op, "time_s",
                 to_seconds(overflow->time), "bytes_over", overflow->over);
  });
}

// What sets the pace of a pipeline; what links carry is in "links".
void write_pace(JsonWriter& json, const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  const Machine& machine = problem.machine();
  json.object("limit", [&] {
    if (load.limiting_queue >= 0) {
      json.members("link", machine.queues()[static_cast<std::size_t>(load.limiting_queue)]);
    } else {
      json.members("device", machine.device(load.limit).name);
    }
    json.members("load_s", to_seconds(load.largest()));
  });
  json.object("loads_s", [&] {
    for (const DeviceId id : machine.device_ids()) {
      json.members(machine.device(id).name, to_seconds(load.devices[index(id)]));
    }
  });
}

// Members "events" and "transfers".
void write_timeline(JsonWriter& json, const Problem& problem, const Timeline& timeline) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  json.objects("events", timeline.ops, [&](const OpEvent& event) {
    json.members("op", graph.name(event.op), "device", machine.device(event.device).name, "start_s",
                 to_seconds(event.start), "end_s", to_seconds(event.end));
  });
  json.objects("transfers", timeline.transfers, [&](const TransferEvent& event) {
    json.members("op", graph.name(graph.producer(event.tensor)), "output", graph.output_index(event.tensor), "from",
                 machine.device(event.from).name, "to", machine.device(event.to).name, "link",
                 machine.channels()[static_cast<std::size_t>(event.channel)].name, "start_s", to_seconds(event.start),
                 "end_s", to_seconds(event.end), "bytes", event.bytes);
  });
}

void write_plan_facts(JsonWriter& json, const Problem& problem, const Outcome& outcome,
                      const std::optional<Outcome>& single) {
  const Score& score = outcome.score;
  const FusedCount fused = count_fused(outcome.plan);
  const double joules = joules_per_step(problem.machine(), score);
  json.members("vs_single", ratio_to_single(outcome, single), "slower_than_single",
               is_slower_than_single(outcome, single), "joules",
               outcome.feasible() ? std::optional(joules) : std::nullopt, "imbalance",
               imbalance(problem.machine(), score), "bytes_crossed", bytes_crossed(problem.graph(), outcome.plan),
               "fused_groups", fused.groups, "fused_ops", fused.ops);
  if (problem.objective() == Objective::kPipeline) write_pace(json, problem, outcome.plan);
  write_overflow(json, problem, score.overflow);
  write_devices(json, problem, outcome);
  write_pools_and_links(json, problem, score);
}

}  // namespace

void write_single(JsonWriter& json, const Outcome& best, const std::optional<Outcome>& single) {
  if (!single || single->error) return;
  const std::optional<double> value_s = single->value_s();
  const SingleVerdict verdict = judge_single(best, single);
  const bool proved = verdict == SingleVerdict::kBestProved;
  json.object("best_single_device", [&] {
    json.members("objective_value_s", value_s, "step_time_s", value_s, "feasible", single->score.feasible, "note",
                 single->note, "is_best_found", proved || verdict == SingleVerdict::kBestFound, "is_proved_best",
                 proved);
  });
}

void write_costs(JsonWriter& json, const CostsSummary& costs) {
  if (costs.files.empty()) return;
  const auto write_file = [&](const CostsReport& report) {
    json.members("file", report.path, "names", report.names, "matched", report.matched, "timeless", report.timeless,
                 "other_devices", report.other_devices);
    json.list("not_in_graph", report.unmatched);
  };
  const auto write_all = [&] { json.members("ops", costs.ops).objects("files", costs.files, write_file); };
  json.object("costs", write_all, JsonLayout::kLines);
}

void write_notes(JsonWriter& json, const InputNotes& notes) {
  json.list("warnings", notes.warnings);
  json.object("assumed_sizes", [&] {
    for (const auto& [name, size] : notes.assumed_sizes) json.members(name, size);
  });
}

void write_outcome(JsonWriter& json, const Problem& problem, const Outcome& outcome,
                   const std::optional<Outcome>& single) {
  const std::optional<double> value_s = outcome.value_s();
  json.members("planner", outcome.planner, "note", outcome.note);
  if (const BatchUse& use = outcome.batches; !use.card.empty() || !use.note.empty()) {
    json.object("batches", [&] {
      json.members("on_gpu", use.on_gpu, "on_cpu", use.on_cpu, "outgrown", use.outgrown, "too_few", use.too_few,
                   "refused", use.refused, "gpu", use.card, "note", use.note);
    });
  }
  if (!outcome.fusion.empty()) json.members("fusion", outcome.fusion);
  if (!outcome.schedule.empty()) json.members("schedule", outcome.schedule);
  json.members("title", problem.graph().title(), "machine", problem.machine().name());
  if (outcome.plan_machine) json.members("plan_machine", *outcome.plan_machine);
  json.members("objective", objective_name(problem.objective()), "objective_value_s", value_s, "step_time_s", value_s);
  if (const auto range = step_range(problem, outcome)) {
    json.list("step_time_range_s", std::array{range->low_s, range->high_s});
  }
  json.members("feasible", outcome.feasible(), "lower_bound_s", to_seconds(outcome.lower_bound));
  if (!outcome.bound_name.empty()) json.members("lower_bound_by", outcome.bound_name);
  json.members("search_s", outcome.search_s, "evaluations", outcome.evaluations, "seed", outcome.seed, "interrupted",
               outcome.interrupted, "ops", problem.graph().num_ops(), "edges", problem.graph().num_edges());
  if (!outcome.error) return write_plan_facts(json, problem, outcome, single);
  json.members("error", outcome.error->message).key("devices").begin_array().end_array();
  json.key("links").begin_array().end_array();
}

void write_change(JsonWriter& json, const Machine& machine, const Outcome& before, const Outcome& after) {
  json.object("as_it_is", [&] {
    json.members("machine", machine.name(), "step_time_s", before.value_s(), "feasible", before.feasible(), "change",
                 relative_change(before.value_s(), after.value_s()));
  });
}

std::string outcome_json(const LoadedProblem& loaded, const Outcome& outcome, const std::optional<Outcome>& single,
                         const std::optional<Unchanged>& before, const std::optional<Timeline>& timeline) {
  return json_document([&](JsonWriter& json) {
    write_outcome(json, loaded.problem, outcome, single);
    write_single(json, outcome, single);
    write_costs(json, loaded.costs);
    write_notes(json, loaded.notes);
    if (timeline) write_timeline(json, loaded.problem, *timeline);
    if (before) write_change(json, before->loaded.problem.machine(), before->outcome, outcome);
  });
}

}  // namespace berth
