// SPDX-License-Identifier: Apache-2.0
// Why a step takes as long as it does, why an op is where it is, and what moved between two plans, as plain values.
#include "bindings.h"
#include "services/compare/diff.h"
#include "services/explain/explain.h"

namespace berth::python {
namespace {

py::dict path_of(const NativePlan& self, const report::PathSummary& path) {
  const Machine& machine = self.problem().machine();
  py::dict devices, links, classes;
  for (const DeviceId id : machine.device_ids()) {
    devices[py::str(machine.device(id).name)] = to_seconds(path.on_device[index(id)]);
  }
  for (std::size_t i = 0; i < path.on_channel.size(); ++i) {
    if (path.on_channel[i] > 0) links[py::str(machine.channels()[i].name)] = to_seconds(path.on_channel[i]);
  }
  for (std::size_t i = 0; i < path.of_class.size(); ++i) {
    const auto name = std::string(name_of(static_cast<CostClass>(i)));
    if (path.of_class[i] > 0) classes[py::str(name)] = to_seconds(path.of_class[i]);
  }
  py::dict entry;
  entry["time_s"] = to_seconds(path.total());
  entry["ops"] = path.ops;
  entry["transfers"] = path.transfers;
  entry["devices_s"] = devices;
  entry["links_s"] = links;
  entry["classes_s"] = classes;
  entry["for_data_s"] = to_seconds(path.for_data);
  entry["for_device_s"] = to_seconds(path.for_device);
  entry["for_link_s"] = to_seconds(path.for_link);
  return entry;
}

py::dict crossing_of(const NativePlan& self, const PlanExplanation::JudgedCrossing& judged) {
  const auto& [crossing, without] = judged;
  const Graph& graph = self.problem().graph();
  py::dict entry;
  entry["op"] = std::string(graph.name(graph.producer(crossing.tensor)));
  entry["from"] = self.device_name(crossing.from);
  entry["to"] = self.device_name(crossing.to);
  entry["bytes"] = crossing.bytes;
  entry["sending_s"] = to_seconds(crossing.sending);
  entry["waiting_s"] = to_seconds(crossing.waiting);
  entry["critical_s"] = to_seconds(crossing.critical);
  entry["users"] = crossing.users;
  entry["step_time_without_s"] = py::none();
  if (without && without->feasible) entry["step_time_without_s"] = to_seconds(without->step_time);
  return entry;
}

py::dict about_plan(const NativePlan& self, const PlanExplanation& why) {
  py::list crossings;
  for (const auto& crossing : why.crossings) crossings.append(crossing_of(self, crossing));
  py::dict entry;
  entry["limits"] = why.limits;
  entry["critical_path"] = path_of(self, why.path);
  entry["crossings"] = crossings;
  return entry;
}

py::dict alternative_of(const NativePlan& self, const report::Alternative& other) {
  py::dict entry;
  entry["device"] = self.device_name(other.device);
  entry["refused"] = other.refused;
  const bool is_possible = !other.refused.has_value();
  entry["op_time_s"] = is_possible ? py::object(py::float_(to_seconds(other.op_time))) : py::none();
  entry["step_time_s"] = is_possible ? py::object(py::float_(to_seconds(other.step_time))) : py::none();
  entry["feasible"] = is_possible && other.feasible;
  return entry;
}

py::dict about_op(const NativePlan& self, const report::OpExplanation& why) {
  py::list alternatives;
  for (const report::Alternative& other : why.alternatives) alternatives.append(alternative_of(self, other));
  py::dict entry;
  entry["op"] = std::string(self.problem().graph().name(why.op));
  entry["device"] = self.device_name(self.outcome.plan.device(why.op));
  entry["companions"] = why.companions;
  entry["reasons"] = why.reasons;
  entry["alternatives"] = alternatives;
  entry["to_move"] = why.to_move;
  return entry;
}

py::dict explain_plan_or_op(const NativePlan& self, const std::string& op) {
  const Explanation why =
      unwrap(explain({.problem = self.request, .plan = {}, .op = op}, self.problem(), self.outcome));
  if (const auto* one = std::get_if<report::OpExplanation>(&why)) return about_op(self, *one);
  return about_plan(self, std::get<PlanExplanation>(why));
}

py::dict diff_of(const std::string& before, const std::string& after, const std::optional<ProblemRequest>& problem) {
  PythonCaller caller;
  const DiffAnswer answer = [&] {
    const py::gil_scoped_release others_may_run;
    return unwrap(diff_plans({before, after, problem}, caller));
  }();
  py::dict moves, entry;
  for (const auto& [ends, count] : answer.moves.count) moves[py::make_tuple(ends.first, ends.second)] = count;
  entry["ops"] = answer.moves.ops;
  entry["moved"] = answer.moves.names;
  entry["moves"] = moves;
  entry["before_s"] = answer.before_s;
  entry["after_s"] = answer.after_s;
  if (answer.effect) {
    py::dict parts;
    for (const auto& [name, count] : answer.effect->parts) parts[py::str(name)] = count;
    entry["parts"] = parts;
  }
  return entry;
}

}  // namespace

void add_explaining(py::module_& module) {
  module.def("explain", explain_plan_or_op, py::arg("plan"), py::arg("op"));
  module.def("diff", diff_of, py::arg("before"), py::arg("after"), py::arg("request").none(true));
}

}  // namespace berth::python
