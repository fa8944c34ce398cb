// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "bindings.h"
#include "format/native_graph.h"
#include "import/graph_file.h"
#include "import/problems/public_problem.h"
#include "serving/spec.h"
#include "zoo/zoo.h"

namespace berth::python {
namespace {

std::vector<std::string> warnings_of(const LowerReport& report) {
  std::vector<std::string> warnings;
  for (const auto& [name, uses] : report.assumed_dims) {
    warnings.push_back(
        fmt::format("dimension '{}' has no size and counts as 1; give it by dims={{'{}': 8}}", name, name));
  }
  if (!report.unknown_shapes.empty()) {
    warnings.push_back(fmt::format("the sizes of {} values are not known and count as nothing, of '{}' for example",
                                   report.unknown_shapes.size(), report.unknown_shapes.front()));
  }
  return warnings;
}

LoadedGraph load(const std::string& source, const std::map<std::string, std::int64_t>& dims,
                 const std::vector<std::string>& outputs, const std::string& signature, const std::string& tag) {
  constexpr std::string_view kZoo = "zoo:";
  LoadedGraph loaded;
  loaded.source = source;
  loaded.import = {dims, {outputs, signature, tag}};
  const bool has_options = !dims.empty() || loaded.import.step.is_given();
  if (has_options && !is_model_file(source)) {
    throw BadInput(fmt::format("dims, outputs, signature and tag are for models of frameworks ({}); {} is none",
                               kModelEndings, source));
  }
  if (source.starts_with(kZoo)) {
    loaded.graph = std::make_shared<const Graph>(unwrap(build_named_model(source.substr(kZoo.size()))));
  } else if (is_model_file(source)) {
    Lowered lowered = unwrap(import_model(source, loaded.import));
    loaded.warnings = warnings_of(lowered.report);
    loaded.graph = std::make_shared<const Graph>(std::move(lowered.graph));
  } else {
    GraphOrProblem what = unwrap(load_graph_or_problem(source));
    if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&what)) {
      loaded.graph = *graph;
    } else {
      loaded.problem = std::get<std::shared_ptr<const Problem>>(what);
      loaded.graph = std::shared_ptr<const Graph>(loaded.problem, &loaded.problem->graph());
    }
  }
  return loaded;
}

py::list ops_of_graph(const LoadedGraph& loaded) {
  const Graph& graph = *loaded.graph;
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

}  // namespace

void add_graphs(py::module_& module) {
  py::class_<LoadedGraph>(module, "Graph")
      .def_property_readonly("source", [](const LoadedGraph& self) { return self.source; })
      .def_property_readonly("title", [](const LoadedGraph& self) { return self.graph->title(); })
      .def_property_readonly("hash", [](const LoadedGraph& self) { return self.graph->structure_hash(); })
      .def_property_readonly("flops", [](const LoadedGraph& self) { return self.graph->total_flops(); })
      .def_property_readonly("parameter_bytes", [](const LoadedGraph& self) { return self.graph->parameter_bytes(); })
      .def_property_readonly("num_edges", [](const LoadedGraph& self) { return self.graph->num_edges(); })
      .def_property_readonly("warnings", [](const LoadedGraph& self) { return self.warnings; })
      .def("__len__", [](const LoadedGraph& self) { return self.graph->num_ops(); })
      .def("ops", ops_of_graph)
      .def("save",
           [](const LoadedGraph& self, const std::string& path) { unwrap(save_graph_file(path, *self.graph)); });
  module.def("load", load, py::arg("source"), py::arg("dims"), py::arg("outputs"), py::arg("signature"), py::arg("tag"),
             py::call_guard<py::gil_scoped_release>());
  module.def("models", [] {
    std::vector<std::pair<std::string, std::string>> models;
    for (const ModelInfo& model : zoo_models()) models.emplace_back(model.name, model.summary);
    return models;
  });
}

}  // namespace berth::python
