// SPDX-License-Identifier: Apache-2.0
// What Python sees of a plan: plain values, files and exports.
#include <algorithm>

#include "base/text.h"
#include "bindings.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "format/plan_file.h"
#include "report/report.h"
#include "report/trace/trace_exports.h"
#include "sim/simulator.h"

namespace berth::python {
namespace {

std::vector<ExportFormat> formats() {
  std::vector<ExportFormat> all(plan_exports().begin(), plan_exports().end());
  all.insert(all.end(), trace_exports().begin(), trace_exports().end());
  std::ranges::sort(all, {}, &ExportFormat::name);
  return all;
}

const std::string& device_name(const PlacedGraph& self, DeviceId device) {
  return self.problem->machine().device(device).name;
}

py::list ops_of_plan(const PlacedGraph& self) {
  const Graph& graph = self.problem->graph();
  py::list ops;
  for (const OpId op : graph.ops()) {
    const DeviceId device = self.plan.device(op);
    py::dict entry;
    entry["op"] = std::string(graph.name(op));
    entry["device"] = device_name(self, device);
    entry["priority"] = self.plan.priority_of(op);
    entry["type"] = graph.type(op);
    entry["role"] = std::string(name_of(graph.role(op)));
    entry["module"] = graph.module(op);
    entry["seconds"] = to_seconds(self.problem->duration(op, device));
    entry["resident_bytes"] = self.problem->resident_bytes(op);
    ops.append(entry);
  }
  return ops;
}

py::list devices_of_plan(const PlacedGraph& self) {
  std::vector<std::size_t> counts(self.problem->machine().num_devices());
  for (const DeviceId device : self.plan.device_of) ++counts[index(device)];
  py::list devices;
  for (const DeviceId device : self.problem->machine().device_ids()) {
    const DeviceUse& use = self.score.devices[index(device)];
    py::dict entry;
    entry["name"] = device_name(self, device);
    entry["ops"] = counts[index(device)];
    entry["busy_s"] = to_seconds(use.busy);
    entry["peak_bytes"] = use.peak;
    entry["capacity_bytes"] = self.problem->capacity(device);
    devices.append(entry);
  }
  return devices;
}

std::vector<std::vector<std::string>> fusions_of(const PlacedGraph& self) {
  std::vector<std::vector<std::string>> fusions;
  for (const std::vector<OpId>& group : self.plan.fusions) {
    fusions.emplace_back();
    for (const OpId op : group) fusions.back().emplace_back(self.problem->graph().name(op));
  }
  return fusions;
}

py::list timeline_of(const PlacedGraph& self) {
  if (self.problem->objective() == Objective::kPipeline) throw BadInput("the objective 'pipeline' has no timeline");
  const Timeline timeline = simulate_timeline(*self.problem, self.plan);
  py::list events;
  for (const OpEvent& event : timeline.ops) {
    py::dict entry;
    entry["op"] = std::string(self.problem->graph().name(event.op));
    entry["device"] = device_name(self, event.device);
    entry["start_s"] = to_seconds(event.start);
    entry["end_s"] = to_seconds(event.end);
    events.append(entry);
  }
  return events;
}

PlanPrediction prediction_of(const PlacedGraph& self) {
  PlanPrediction prediction{.planner = self.planner,
                            .objective = std::string(objective_name(self.problem->objective()))};
  if (self.score.feasible) prediction.objective_value_s = prediction.step_time_s = to_seconds(self.score.step_time);
  prediction.lower_bound_s = to_seconds(self.lower_bound);
  prediction.feasible = self.score.feasible;
  for (const DeviceId device : self.problem->machine().device_ids()) {
    const DeviceUse& use = self.score.devices[index(device)];
    prediction.devices.push_back(
        {device_name(self, device), to_seconds(use.busy), use.peak, self.problem->capacity(device)});
  }
  return prediction;
}

ExportRequest request_of(const PlacedGraph& self, const std::map<std::string, std::string>& names,
                         const std::string& module_prefix) {
  return {.problem = *self.problem,
          .plan = self.plan,
          .source = self.graph.source,
          .names = names,
          .module_prefix = module_prefix,
          .import = self.graph.import};
}

// Returns the notes.
std::vector<std::string> export_to(const PlacedGraph& self, const std::string& name, const std::string& output,
                                   const std::map<std::string, std::string>& names, const std::string& module_prefix) {
  const std::vector<ExportFormat> known = formats();
  const auto format = std::ranges::find(known, name, &ExportFormat::name);
  if (format == known.end()) {
    std::vector<std::string> all;
    for (const ExportFormat& one : known) all.emplace_back(one.name);
    throw BadInput(fmt::format("no export format named '{}'{}; there are: {}", name,
                               did_you_mean(name, std::span<const std::string>(all)), join(all, ", ")));
  }
  const std::vector<std::string_view> endings = split(format->takes, ' ');
  const auto fits = [&](std::string_view ending) { return self.graph.source.ends_with(ending); };
  if (!format->takes.empty() && std::ranges::none_of(endings, fits)) {
    throw BadInput(fmt::format("'{}' writes the model's own file again, and needs one that ends in {}; {} does not",
                               name, format->takes, self.graph.source));
  }
  const ExportRequest request = request_of(self, names, module_prefix);
  unwrap(check_names(request));
  const Exported exported = unwrap(format->make(request));
  unwrap(save_export(*format, exported, output));
  return exported.notes;
}

// The JSON text and the notes.
std::pair<std::string, std::vector<std::string>> device_map_of(const PlacedGraph& self,
                                                               const std::map<std::string, std::string>& names,
                                                               const std::string& module_prefix) {
  Exported exported = unwrap(export_accelerate(request_of(self, names, module_prefix)));
  return {std::move(exported.files.front().text), std::move(exported.notes)};
}

std::string report_of(const PlacedGraph& self) {
  if (self.problem->objective() == Objective::kPipeline) {
    throw BadInput("the HTML report shows a timeline, which the objective 'pipeline' does not have");
  }
  report::ReportContent content{*self.problem, {}};
  const bool is_searched = self.search_s > 0.0;
  content.plans.push_back({self.planner, self.note, self.plan, self.lower_bound, self.search_s,
                           is_searched ? self.evaluations : 0, self.seed});
  return unwrap(report::html_report(content));
}

}  // namespace

void add_plans(py::module_& module) {
  py::class_<PlacedGraph>(module, "Plan")
      .def_property_readonly("title", [](const PlacedGraph& self) { return self.problem->graph().title(); })
      .def_property_readonly("machine", [](const PlacedGraph& self) { return self.problem->machine().name(); })
      .def_property_readonly("objective",
                             [](const PlacedGraph& self) { return objective_name(self.problem->objective()); })
      .def_property_readonly("planner", [](const PlacedGraph& self) { return self.planner; })
      .def_property_readonly("note", [](const PlacedGraph& self) { return self.note; })
      .def_property_readonly("feasible", [](const PlacedGraph& self) { return self.score.feasible; })
      .def_property_readonly("simulated_s", [](const PlacedGraph& self) { return to_seconds(self.score.step_time); })
      .def_property_readonly("lower_bound", [](const PlacedGraph& self) { return to_seconds(self.lower_bound); })
      .def_property_readonly("search_s", [](const PlacedGraph& self) { return self.search_s; })
      .def_property_readonly("evaluations", [](const PlacedGraph& self) { return self.evaluations; })
      .def_property_readonly("seed", [](const PlacedGraph& self) { return self.seed; })
      .def_property_readonly("interrupted", [](const PlacedGraph& self) { return self.interrupted; })
      .def("ops", ops_of_plan)
      .def("devices", devices_of_plan)
      .def("fusions", fusions_of)
      .def("timeline", timeline_of)
      .def("save",
           [](const PlacedGraph& self, const std::string& path) {
             unwrap(
                 save_plan_file(path, self.problem->graph(), self.problem->machine(), self.plan, prediction_of(self)));
           })
      .def("to_json",
           [](const PlacedGraph& self) {
             return write_plan_json(self.problem->graph(), self.problem->machine(), self.plan, prediction_of(self));
           })
      .def("report_html", report_of)
      .def("export", export_to, py::arg("format"), py::arg("output"), py::arg("names"), py::arg("module_prefix"))
      .def("device_map", device_map_of, py::arg("names"), py::arg("module_prefix"));
  module.def("formats", [] {
    std::vector<std::pair<std::string, std::string>> known;
    for (const ExportFormat& format : formats()) known.emplace_back(format.name, format.summary);
    return known;
  });
}

}  // namespace berth::python
