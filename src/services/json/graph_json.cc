// SPDX-License-Identifier: Apache-2.0
#include "services/json/graph_json.h"

#include "files/json/json_writer.h"

namespace berth {
namespace {

template <typename Counts>
void write_counts(JsonWriter& json, std::string_view key, const Counts& counts) {
  json.object(key, [&] {
    for (const auto& [name, count] : counts) json.members(name, count);
  });
}

void write_open_sizes(JsonWriter& json, const LowerReport& report, std::span<const DimEffect> effects) {
  json.objects("dims", report.dims, [&](const NamedDim& dim) {
    json.members("name", dim.name, "size", dim.size, "source", name_of_source(dim.source), "where", dim.where, "uses",
                 dim.uses);
  });
  json.objects("effects_of_size_2", effects, [&](const DimEffect& effect) {
    json.members("name", effect.name, "flops", effect.flops, "activation_bytes", effect.activations);
  });
  json.list("unknown_shapes", report.unknown_shapes);
  json.objects("open_branches", report.branches_taken,
               [&](const auto& taken) { json.members("node", taken.first, "taken", taken.second); });
  write_counts(json, "left_out", report.left_out);
}

void write_named_tensors(JsonWriter& json, std::string_view key, const Graph& graph,
                         const std::vector<NamedTensor>& tensors) {
  json.objects(key, tensors, [&](const NamedTensor& named) {
    json.members("name", named.name, "dtype", name_of(graph.dtype(named.tensor)));
    json.list("shape", graph.shape(named.tensor));
  });
}

void write_graph_facts(JsonWriter& json, const GraphFacts& facts) {
  const Parallelism& shape = facts.parallelism;
  json.members("depth", shape.depth, "width", shape.width(), "max_width", shape.widest);
  json.object("parallelism", [&] {
    json.members("device", shape.device, "work_s", shape.work_s, "critical_path_s", shape.path_s, "work_over_path",
                 shape.work_over_path());
  });
  write_counts(json, "roles", facts.roles);
  write_counts(json, "unknown_ops", facts.unknown);
  json.members("unknown_work_share", facts.unknown_share).key("types").begin_object(JsonLayout::kLines);
  for (const TypeUse& use : facts.types) {
    json.object(use.type, [&] { json.members("ops", use.count, "flops", use.flops); });
  }
  json.end_object().objects("estimates", facts.devices, [&](const DeviceEstimate& device) {
    json.members("device", device.name, "kind", name_of(device.kind), "time_s", device.time_s, "unsupported_ops",
                 device.unsupported_ops, "fits", facts.fits(device));
  });
}

}  // namespace

std::string graph_json(const GraphAnswer& answer) {
  const auto& [loaded, facts, effects] = answer;
  const Graph& graph = *loaded.graph;
  const Problem* problem = loaded.problem.get();
  return json_document([&, &facts = facts, &report = loaded.report, &effects = effects](JsonWriter& json) {
    json.members("title", graph.title(), "hash", graph.structure_hash(), "ops", graph.num_ops(), "edges",
                 graph.num_edges(), "tensors", graph.num_tensors(), "source_nodes", graph.source_nodes(),
                 "source_edges", graph.source_edges(), "flops", graph.total_flops(), "parameter_bytes",
                 graph.parameter_bytes(), "resident_bytes", facts.resident_bytes, "optimizer",
                 name_of(graph.optimizer()), "activation_bytes", facts.activation_bytes, "peak_bytes", facts.peak_bytes,
                 "parameters", facts.parameters, "parameter_tensors", facts.parameter_tensors);
    write_named_tensors(json, "inputs", graph, facts.inputs);
    write_named_tensors(json, "outputs", graph, facts.outputs);
    write_graph_facts(json, facts);
    json.key("measured_on").begin_array();
    for (const MeasuredTimes& measured : graph.measured()) json.value(measured.device_model);
    json.end_array();
    if (report) write_open_sizes(json, *report, effects);
    if (problem == nullptr) return;
    json.members("objective", objective_name(problem->objective()), "machine", problem->machine().name());
  });
}

std::string written_graph_json(const std::string& path, const Graph& graph) {
  JsonWriter json;
  json.begin_object().members("output", path, "ops", graph.num_ops(), "hash", graph.structure_hash());
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth
