// SPDX-License-Identifier: Apache-2.0
// What Python sees of a plan: plain values, files and exports.
#include "arrays.h"
#include "bindings.h"
#include "format/plan_file.h"
#include "services/explain/report_file.h"
#include "services/export/export_plan.h"
#include "services/json/outcome_json.h"
#include "services/plan/plan_files.h"
#include "sim/simulator.h"

namespace berth::python {
namespace {

py::list ops_of_plan(const NativePlan& self) {
  const Graph& graph = self.problem().graph();
  py::list ops;
  for (const OpId op : graph.ops()) {
    const DeviceId device = self.outcome.plan.device(op);
    py::dict entry;
    entry["op"] = std::string(graph.name(op));
    entry["device"] = self.device_name(device);
    entry["priority"] = self.outcome.plan.priority_of(op);
    entry["type"] = graph.type(op);
    entry["role"] = std::string(name_of(graph.role(op)));
    entry["module"] = graph.module(op);
    entry["seconds"] = to_seconds(self.problem().duration(op, device));
    entry["resident_bytes"] = self.problem().resident_bytes(op);
    ops.append(entry);
  }
  return ops;
}

py::array_t<std::uint8_t> devices_of_plan(const NativePlan& self) {
  const std::vector<DeviceId>& device_of = self.outcome.plan.device_of;
  return array_of<std::uint8_t>(device_of.size(), [&](std::size_t i) { return static_cast<int>(device_of[i]); });
}

std::optional<py::array_t<double>> priorities_of_plan(const NativePlan& self) {
  const std::vector<double>& priority = self.outcome.plan.priority;
  if (priority.empty()) return std::nullopt;
  return array_of<double>(priority.size(), [&](std::size_t i) { return priority[i]; });
}

std::vector<std::vector<std::string>> fusions_of(const NativePlan& self) {
  std::vector<std::vector<std::string>> fusions;
  for (const std::vector<OpId>& group : self.outcome.plan.fusions) {
    fusions.emplace_back();
    for (const OpId op : group) fusions.back().emplace_back(self.problem().graph().name(op));
  }
  return fusions;
}

// The document of `berth score --json`.
std::string answer_of(const NativePlan& self, const std::optional<NativePlan>& single, bool with_timeline) {
  const bool is_step = self.problem().objective() == Objective::kStep;
  if (with_timeline && !is_step) throw BadInput("the objective 'pipeline' has no timeline");
  std::optional<Outcome> yardstick;
  if (single) yardstick = single->outcome;
  std::optional<Timeline> timeline;
  if (with_timeline) timeline = simulate_timeline(self.problem(), self.outcome.plan);
  return outcome_json(*self.loaded, self.outcome, yardstick, std::nullopt, timeline);
}

// Written to `output`, unless that is empty. Returns the text of the only file, if there is one, and the notes.
std::pair<std::string, std::vector<std::string>> export_to(const NativePlan& self, const std::string& format,
                                                           const std::string& output,
                                                           const std::vector<std::string>& names,
                                                           const std::string& module_prefix) {
  const PlanExportRequest request{.problem = self.request,
                                  .plan = {},
                                  .format = format,
                                  .output = output,
                                  .names = names,
                                  .module_prefix = module_prefix};
  Exported made = unwrap(export_plan(request, self.problem(), self.outcome.plan)).exported;
  const bool is_text = made.files.size() == 1 && output.empty();
  return {is_text ? std::move(made.files.front().text) : std::string(), std::move(made.notes)};
}

// One page about plans for the same problem, the best first.
void report_on(const std::vector<NativePlan>& plans, const std::optional<NativePlan>& single, const std::string& path) {
  const NativePlan& first = plans.front();
  if (first.problem().objective() == Objective::kPipeline) {
    throw BadInput("the HTML report shows a timeline, which the objective 'pipeline' does not have");
  }
  unwrap(check_reportable());
  unwrap(check_report_path(path, {}));
  std::vector<Outcome> outcomes;
  for (const NativePlan& plan : plans) {
    if (&plan.problem().graph() != &first.problem().graph() &&
        plan.problem().graph().structure_hash() != first.problem().graph().structure_hash()) {
      throw BadInput("a report is about plans for one graph; these are for several");
    }
    outcomes.push_back(plan.outcome);
  }
  std::optional<Outcome> yardstick;
  if (single) yardstick = single->outcome;
  unwrap(save_report(path, first.problem(), outcomes, yardstick, ""));
}

std::string json_of(const NativePlan& self) {
  return write_plan_json(self.problem().graph(), self.problem().machine(), self.outcome.plan,
                         prediction_of(self.problem(), self.outcome));
}

// The answer of the program that found the plan, of which its file says nothing.
NativePlan found_by(const NativePlan& self, const std::string& planner, const std::string& note, double search_s,
                    std::uint64_t evaluations, std::uint64_t seed, bool interrupted) {
  NativePlan plan = self;
  plan.outcome.planner = planner;
  plan.outcome.note = note;
  plan.outcome.search_s = search_s;
  plan.outcome.evaluations = evaluations;
  plan.outcome.seed = seed;
  plan.outcome.interrupted = interrupted;
  plan.outcome.searched = true;
  return plan;
}

template <auto member>
auto of_outcome() {
  return [](const NativePlan& self) { return self.outcome.*member; };
}

}  // namespace

void add_plans(py::module_& module) {
  py::class_<NativePlan>(module, "Plan")
      .def_property_readonly("graph",
                             [](const NativePlan& self) {
                               const std::shared_ptr<const Graph> graph(self.loaded, &self.problem().graph());
                               return NativeGraph{self.request.graph, graph};
                             })
      .def_property_readonly("machine", [](const NativePlan& self) { return self.problem().machine().name(); })
      .def_property_readonly("objective",
                             [](const NativePlan& self) { return objective_name(self.problem().objective()); })
      .def_property_readonly("feasible", [](const NativePlan& self) { return self.outcome.feasible(); })
      .def_property_readonly("simulated_s",
                             [](const NativePlan& self) { return to_seconds(self.outcome.score.step_time); })
      .def_property_readonly("lower_bound", [](const NativePlan& self) { return to_seconds(self.outcome.lower_bound); })
      .def_property_readonly("planner", of_outcome<&Outcome::planner>())
      .def_property_readonly("note", of_outcome<&Outcome::note>())
      .def_property_readonly("search_s", of_outcome<&Outcome::search_s>())
      .def_property_readonly("evaluations", of_outcome<&Outcome::evaluations>())
      .def_property_readonly("seed", of_outcome<&Outcome::seed>())
      .def_property_readonly("interrupted", of_outcome<&Outcome::interrupted>())
      .def("ops", ops_of_plan)
      .def("devices", devices_of_plan)
      .def("priorities", priorities_of_plan)
      .def("fusions", fusions_of)
      .def("answer", answer_of, py::arg("single").none(true), py::arg("timeline"))
      .def("save", [](const NativePlan& self,
                      const std::string& path) { unwrap(save_plan(path, self.problem(), self.outcome)); })
      .def("to_json", json_of)
      .def("found_by", found_by, py::arg("planner"), py::arg("note"), py::arg("search_s"), py::arg("evaluations"),
           py::arg("seed"), py::arg("interrupted"))
      .def("export", export_to, py::arg("format"), py::arg("output"), py::arg("names"), py::arg("module_prefix"));
  module.def("report", report_on, py::arg("plans"), py::arg("single").none(true), py::arg("path"));
  module.def("formats", [] {
    std::vector<std::pair<std::string, std::string>> known;
    for (const ExportFormat& format : export_formats()) known.emplace_back(format.name, format.summary);
    return known;
  });
}

}  // namespace berth::python
