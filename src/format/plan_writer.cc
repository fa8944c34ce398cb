// SPDX-License-Identifier: Apache-2.0
#include "files/files.h"
#include "files/json/json_writer.h"
#include "format/plan_file.h"

namespace berth {
namespace {

void write_ops(JsonWriter& json, const Graph& graph, const Machine& machine, const Plan& plan) {
  json.key("ops").begin_array(JsonLayout::kLines);
  for (const OpId op : graph.ops()) {
    json.begin_object().key("name").value(graph.name(op)).key("device").value(machine.device(plan.device(op)).name);
    json.key("priority").value(plan.priority_of(op)).end_object();
  }
  json.end_array();
}

void write_fusions(JsonWriter& json, const Graph& graph, const Plan& plan) {
  json.key("fusions").begin_array(JsonLayout::kLines);
  for (const std::vector<OpId>& group : plan.fusions) {
    json.begin_array();
    for (const OpId op : group) json.value(graph.name(op));
    json.end_array();
  }
  json.end_array();
}

void write_prediction(JsonWriter& json, const PlanPrediction& prediction) {
  json.key("predicted").begin_object(JsonLayout::kLines);
  json.key("planner").value(prediction.planner);
  json.key("objective").value(prediction.objective);
  json.key("objective_value_s").value(prediction.objective_value_s);
  json.key("step_time_s").value(prediction.step_time_s);
  json.key("lower_bound_s").value(prediction.lower_bound_s);
  json.key("feasible").value(prediction.feasible);
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const PlanPrediction::Device& device : prediction.devices) {
    json.begin_object().key("name").value(device.name).key("busy_s").value(device.busy_s);
    json.key("peak_bytes").value(device.peak_bytes).key("capacity_bytes").value(device.capacity_bytes).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string write_plan_json(const Graph& graph, const Machine& machine, const Plan& plan,
                            const PlanPrediction& prediction, std::span<const std::string> also_for) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("format").value(kPlanFormat);
  json.key("graph").value(graph.structure_hash());
  if (!also_for.empty()) {
    json.key("also_for").begin_array();
    for (const std::string& hash : also_for) json.value(hash);
    json.end_array();
  }
  json.key("machine").value(machine.name());
  write_ops(json, graph, machine, plan);
  write_fusions(json, graph, plan);
  write_prediction(json, prediction);
  json.end_object();
  return std::move(json).take();
}

Status save_plan_file(const std::string& path, const Graph& graph, const Machine& machine, const Plan& plan,
                      const PlanPrediction& prediction, std::span<const std::string> also_for) {
  return write_file_atomically(path, write_plan_json(graph, machine, plan, prediction, also_for));
}

}  // namespace berth
