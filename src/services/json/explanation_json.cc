// SPDX-License-Identifier: Apache-2.0
#include "services/json/explanation_json.h"

#include "ops/cost_class.h"
#include "services/json/outcome_json.h"

namespace berth {
namespace {

void write_explained(JsonWriter& json, const LoadedProblem& loaded, const Outcome& outcome) {
  json.members("title", loaded.problem.graph().title(), "machine", loaded.problem.machine().name(), "step_time_s",
               outcome.value_s(), "feasible", outcome.feasible(), "lower_bound_s", to_seconds(outcome.lower_bound),
               "lower_bound_by", outcome.bound_name, "lower_bound_reason", outcome.bound_reason);
  write_notes(json, loaded.notes);
}

void write_path(JsonWriter& json, const Problem& problem, const report::PathSummary& path) {
  const Machine& machine = problem.machine();
  json.object("critical_path", [&] {
    json.members("time_s", to_seconds(path.total()), "ops", path.ops, "transfers", path.transfers);
    json.object("devices_s", [&] {
      for (const DeviceId id : machine.device_ids()) {
        json.members(machine.device(id).name, to_seconds(path.on_device[index(id)]));
      }
    });
    json.object("links_s", [&] {
      for (std::size_t i = 0; i < path.on_channel.size(); ++i) {
        if (path.on_channel[i] > 0) json.members(machine.channels()[i].name, to_seconds(path.on_channel[i]));
      }
    });
    json.object("classes_s", [&] {
      for (std::size_t i = 0; i < path.of_class.size(); ++i) {
        if (path.of_class[i] > 0) json.members(name_of(static_cast<CostClass>(i)), to_seconds(path.of_class[i]));
      }
    });
    json.members("for_data_s", to_seconds(path.for_data), "for_device_s", to_seconds(path.for_device), "for_link_s",
                 to_seconds(path.for_link));
  });
}

void write_idle(JsonWriter& json, const PlanExplanation& why, const Machine& machine, DeviceId id) {
  const report::IdleTime& idle = why.idle[index(id)];
  json.members("device", machine.device(id).name, "busy_s", to_seconds(why.use[index(id)].busy), "results_s",
               to_seconds(idle.results), "transfers_s", to_seconds(idle.transfers), "links_s", to_seconds(idle.links),
               "devices_s", to_seconds(idle.devices), "done_s", to_seconds(idle.done));
}

void write_crossing(JsonWriter& json, const Problem& problem, const PlanExplanation::JudgedCrossing& judged) {
  const auto& [crossing, without] = judged;
  const Graph& graph = problem.graph();
  const auto name = [&](DeviceId id) { return problem.machine().device(id).name; };
  json.members("op", graph.name(graph.producer(crossing.tensor)), "output", graph.output_index(crossing.tensor), "from",
               name(crossing.from), "to", name(crossing.to), "bytes", crossing.bytes, "sending_s",
               to_seconds(crossing.sending), "waiting_s", to_seconds(crossing.waiting), "critical_s",
               to_seconds(crossing.critical), "users", crossing.users);
  if (!without) {
    json.key("without").null();
    return;
  }
  const auto write = [&, other = *without] {
    json.members("op", graph.name(other.op), "to", name(other.to), "ops", other.ops, "step_time_s",
                 to_seconds(other.step_time), "feasible", other.feasible);
  };
  json.object("without", write);
}

void write_alternative(JsonWriter& json, const Machine& machine, const report::Alternative& other) {
  json.members("device", machine.device(other.device).name);
  if (other.refused) {
    json.members("refused", *other.refused);
  } else {
    json.members("op_time_s", to_seconds(other.op_time), "step_time_s", to_seconds(other.step_time), "feasible",
                 other.feasible, "bytes_over", other.over);
  }
}

void write_op(JsonWriter& json, const Problem& problem, const Outcome& outcome, const report::OpExplanation& why) {
  const Graph& graph = problem.graph();
  json.members("op", graph.name(why.op), "type", graph.type(why.op), "device",
               problem.machine().device(outcome.plan.device(why.op)).name, "companions", why.companions);
  json.key("weights_along").begin_array();
  for (const OpId weight : why.weights_along) json.value(graph.name(weight));
  json.end_array().list("reasons", why.reasons);
  json.objects("alternatives", why.alternatives,
               [&](const report::Alternative& other) { write_alternative(json, problem.machine(), other); });
  json.list("to_move", why.to_move);
}

}  // namespace

std::string explanation_json(const LoadedProblem& loaded, const Outcome& outcome, const Explanation& why) {
  const Problem& problem = loaded.problem;
  return json_document([&](JsonWriter& json) {
    write_explained(json, loaded, outcome);
    if (const auto* op = std::get_if<report::OpExplanation>(&why)) return write_op(json, problem, outcome, *op);
    const auto& plan = std::get<PlanExplanation>(why);
    json.list("limits", plan.limits);
    write_path(json, problem, plan.path);
    if (!plan.idle.empty()) {
      const Machine& machine = problem.machine();
      json.objects("idle", machine.device_ids(), [&](DeviceId id) { write_idle(json, plan, machine, id); });
    }
    json.objects("crossings", plan.crossings, [&](const auto& crossing) { write_crossing(json, problem, crossing); });
  });
}

}  // namespace berth
