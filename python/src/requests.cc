// SPDX-License-Identifier: Apache-2.0
// What is asked for: graphs, machines, and both together under constraints.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "bindings.h"
#include "format/native_graph.h"
#include "machine/library.h"
#include "services/json/catalog_json.h"
#include "services/json/graph_json.h"
#include "services/problem/constraints.h"
#include "zoo/zoo.h"

namespace berth::python {
namespace {

using Constraint = std::pair<std::string, std::string>;  // {"pin", "embedding=gpu0"}
using Strings = std::vector<std::string>;

const DemandForm& form_named(const std::string& name) {
  const auto forms = demand_forms();
  const auto form = std::ranges::find(forms, name, &DemandForm::name);
  if (form != forms.end()) return *form;
  Strings names;
  for (const DemandForm& known : forms) names.emplace_back(known.name);
  throw BadInput(fmt::format("no constraint named '{}'{}; there are: {}", name,
                             did_you_mean(name, std::span<const std::string>(names)), join(names, ", ")));
}

ImportOptions import_of(const std::map<std::string, std::int64_t>& dims, const Strings& outputs,
                        const std::string& signature, const std::string& tag) {
  return {dims, {outputs, signature, tag}};
}

ProblemRequest request_of(const std::string& graph, const std::string& machine, const std::string& objective,
                          const Strings& costs, const ImportOptions& import, const std::vector<Constraint>& constraints,
                          const Strings& constraint_files, const Strings& unsupported, const Strings& changes,
                          const Strings& add_devices) {
  ProblemRequest request{.graph = graph, .machine = machine, .costs = costs, .import = import};
  request.objective = unwrap(find_objective(objective));
  ConstraintTexts texts{.files = constraint_files, .tables = unsupported};
  for (const auto& [name, text] : constraints) texts.given.push_back({&form_named(name), text});
  request.demands = unwrap(read_demands(texts));
  request.changes = {.settings = changes, .added = add_devices};
  return request;
}

NativeGraph load(const std::string& source, const ImportOptions& import) {
  const LoadedGraph loaded = unwrap(load_graph(source, import));
  NativeGraph graph{source, loaded.graph};
  for (const std::string& warning : warnings_about(source, loaded.report)) graph.warnings.push_back(in_python(warning));
  return graph;
}

py::list ops_of_graph(const NativeGraph& self) {
  const Graph& graph = *self.graph;
  py::list ops;
  for (const OpId op : graph.ops()) {
    Bytes output_bytes = 0;
    for (const TensorId tensor : graph.outputs(op)) output_bytes += graph.bytes(tensor);
    py::dict entry;
    entry["name"] = std::string(graph.name(op));
    entry["type"] = graph.type(op);
    entry["role"] = std::string(name_of(graph.role(op)));
    entry["module"] = graph.module(op);
    entry["flops"] = graph.flops(op);
    entry["output_bytes"] = output_bytes;
    entry["resident_bytes"] = graph.resident_bytes(op);
    ops.append(entry);
  }
  return ops;
}

// The document of `berth graph info --json`.
std::string info(const std::string& source, const ImportOptions& import) {
  return graph_json(unwrap(look_at_graph(source, import)));
}

void add_graphs(py::module_& module) {
  py::class_<NativeGraph>(module, "Graph")
      .def_readonly("source", &NativeGraph::source)
      .def_readonly("warnings", &NativeGraph::warnings)
      .def_property_readonly("title", [](const NativeGraph& self) { return self.graph->title(); })
      .def_property_readonly("hash", [](const NativeGraph& self) { return self.graph->structure_hash(); })
      .def_property_readonly("flops", [](const NativeGraph& self) { return self.graph->total_flops(); })
      .def_property_readonly("parameter_bytes", [](const NativeGraph& self) { return self.graph->parameter_bytes(); })
      .def_property_readonly("num_edges", [](const NativeGraph& self) { return self.graph->num_edges(); })
      .def("__len__", [](const NativeGraph& self) { return self.graph->num_ops(); })
      .def("ops", ops_of_graph)
      .def("save",
           [](const NativeGraph& self, const std::string& path) { unwrap(save_graph_file(path, *self.graph)); });
  module.def("load", load, py::arg("source"), py::arg("options"), py::call_guard<py::gil_scoped_release>());
  module.def("info", info, py::arg("source"), py::arg("options"), py::call_guard<py::gil_scoped_release>());
  module.def("models", [] {
    std::vector<std::pair<std::string, std::string>> models;
    for (const ModelInfo& model : zoo_models()) models.emplace_back(model.name, model.summary);
    return models;
  });
}

void add_machines(py::module_& module) {
  py::class_<Machine, std::shared_ptr<Machine>>(module, "Machine")
      .def_property_readonly("name", [](const Machine& self) { return self.name(); })
      .def_property_readonly("description", [](const Machine& self) { return self.description(); })
      .def("answer", machine_json);
  module.def(
      "load_machine", [](const std::string& text) { return Machine(*unwrap(load_machine(text))); },
      py::arg("name_or_path"));
  module.def("machines", [] {
    std::vector<std::pair<std::string, std::string>> machines;
    for (const MachineInfo& machine : builtin_machines()) machines.emplace_back(machine.name, machine.summary);
    return machines;
  });
}

}  // namespace

void add_requests(py::module_& module) {
  py::class_<ImportOptions>(module, "ImportOptions")
      .def(py::init(&import_of), py::arg("dims"), py::arg("outputs"), py::arg("signature"), py::arg("tag"));
  py::class_<ProblemRequest>(module, "Request")
      .def(py::init(&request_of), py::arg("graph"), py::arg("machine"), py::arg("objective"), py::arg("costs"),
           py::arg("options"), py::arg("constraints"), py::arg("constraint_files"), py::arg("unsupported"),
           py::arg("changes"), py::arg("add_devices"));
  add_graphs(module);
  add_machines(module);
}

}  // namespace berth::python
