// SPDX-License-Identifier: Apache-2.0
#include "app/output/graph_info.h"

#include <algorithm>
#include <utility>

#include "app/output/output.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "services/words.h"

namespace berth::app {
namespace {

using enum Table::Align;

std::string_view name_of_source(DimSource source) {
  switch (source) {
    case DimSource::kUser:
      return "given";
    case DimSource::kFile:
      return "as exported";
    case DimSource::kAssumed:
      break;
  }
  return "assumed";
}

std::string roles_text(const GraphFacts& facts) {
  std::vector<std::string> words;
  for (const auto& [role, count] : facts.roles) words.push_back(fmt::format("{} {}", group_digits(count), role));
  return join(words, ", ");
}

// "x f32[8,512]"
std::string tensor_text(const Graph& graph, const NamedTensor& named) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : graph.shape(named.tensor)) sizes.push_back(fmt::format("{}", size));
  return fmt::format("{} {}[{}]", named.name, name_of(graph.dtype(named.tensor)), join(sizes, ","));
}

std::string tensors_text(const Graph& graph, const std::vector<NamedTensor>& tensors) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const NamedTensor& tensor : tensors) words.push_back(tensor_text(graph, tensor));
  return words.empty() ? "none" : some_of(words, kMost);
}

std::string parameters_text(const Graph& graph, const GraphFacts& facts) {
  return fmt::format("{} in {}, {}", format_count(facts.parameters), counted(facts.parameter_tensors, "tensor"),
                     format_bytes(graph.parameter_bytes()));
}

// Files differ in what is an edge: those of ONNX run between nodes alone, exported programs count weights and inputs.
std::string edges_text(const Graph& graph) {
  return fmt::format("{}, one per tensor and reader; the source has {} and {} by its own count",
                     group_digits(graph.num_edges()), counted(graph.source_nodes(), "node"),
                     counted(graph.source_edges(), "edge"));
}

std::string parallelism_text(const Parallelism& shape) {
  std::string text = fmt::format("{} on the longest path, {:.3g} side by side on average, {} at most",
                                 counted(shape.depth, "compute op"), shape.width(), group_digits(shape.widest));
  if (shape.path_s > 0.0) {
    text += fmt::format("; on {} the work is {:.3g}x the critical path", shape.device, shape.work_over_path());
  }
  return text;
}

std::string unknown_text(const GraphFacts& facts) {
  constexpr std::size_t kMost = 6;
  if (facts.unknown.empty()) return "none";
  std::vector<std::string> words;
  for (const auto& [type, count] : facts.unknown) words.push_back(fmt::format("{} ({})", type, group_digits(count)));
  return fmt::format("{}: priced by their bytes, {} of the work on {}", some_of(words, kMost),
                     percent(facts.unknown_share), facts.parallelism.device);
}

std::string branches_text(const LowerReport& report) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const auto& [node, branch] : report.branches_taken) words.push_back(fmt::format("{} ({})", node, branch));
  return fmt::format("the file does not say which one runs; the one with more nodes counts: {}", some_of(words, kMost));
}

// What the file leaves open, and what that does to the numbers.
void add_report(Table& facts, const LowerReport& report, std::span<const DimEffect> effects) {
  constexpr std::size_t kMostDims = 6, kMostValues = 3;
  std::vector<std::string> dims;
  for (const NamedDim& dim : report.dims) {
    dims.push_back(fmt::format("{} = {} ({}, {})", dim.name, dim.size, dim.where, name_of_source(dim.source)));
  }
  if (!dims.empty()) facts.add({"sizes", some_of(dims, kMostDims)});
  for (const DimEffect& effect : effects) {
    facts.add(
        {"assumed", fmt::format("{} counts as 1; 2 would make {:.3g}x the flops, {:.3g}x the activations (--dim {}=2)",
                                effect.name, effect.flops, effect.activations, effect.name)});
  }
  if (!report.branches_taken.empty()) facts.add({"branches", branches_text(report)});
  if (!report.left_out.empty()) {
    facts.add({"left out", fmt::format("nodes that are no part of the step: {}", left_out_text(report))});
  }
  if (report.unknown_shapes.empty()) return;
  facts.add({"unknown sizes",
             fmt::format("{} counted as nothing, so times and memory are too small: {}",
                         counted(report.unknown_shapes.size(), "value"), some_of(report.unknown_shapes, kMostValues))});
}

std::string types_table(const GraphFacts& facts) {
  constexpr std::size_t kMost = 12;
  Table table = Table::headed({"type", ">ops", ">flops"});
  for (const TypeUse& use : std::span(facts.types).first(std::min(facts.types.size(), kMost))) {
    table.add({std::string(use.type), group_digits(use.count), use.flops > 0.0 ? format_count(use.flops) : "-"});
  }
  const std::size_t more = facts.types.size() > kMost ? facts.types.size() - kMost : 0;
  return table.text() + (more > 0 ? fmt::format("... and {} more types\n", more) : "");
}

bool fits(const GraphFacts& facts, const DeviceEstimate& device) {
  return !facts.peak_bytes || *facts.peak_bytes <= device.memory;
}

// Several devices a line, the fastest first; those that do not run all ops come last.
std::string devices_table(const GraphFacts& facts) {
  constexpr std::size_t kPerLine = 4;
  std::vector<DeviceEstimate> devices = facts.devices;
  std::ranges::stable_sort(devices, [](const DeviceEstimate& a, const DeviceEstimate& b) {
    if ((a.unsupported_ops == 0) != (b.unsupported_ops == 0)) return a.unsupported_ops == 0;
    return a.time_s < b.time_s;
  });
  std::vector<Table::Align> columns(2 * kPerLine, kLeft);
  for (std::size_t i = 1; i < columns.size(); i += 2) columns[i] = kRight;
  Table table(columns);
  std::vector<std::string> line;
  bool is_any_full = false;
  for (const DeviceEstimate& device : devices) {
    const bool runs_all = device.unsupported_ops == 0;
    const bool is_full = runs_all && !fits(facts, device);
    is_any_full = is_any_full || is_full;
    line.push_back(device.name);
    line.push_back(runs_all ? format_seconds(device.time_s) + (is_full ? "*" : " ")
                            : fmt::format("not {} ", counted(device.unsupported_ops, "op")));
    if (line.size() == 2 * kPerLine) table.add(std::exchange(line, {}));
  }
  if (!line.empty()) table.add(line);
  return fmt::format("on one device, ops one after the other\n{}{}", table.text("  "),
                     is_any_full ? "  * more than its memory\n" : "");
}

template <typename Counts>
void write_counts(JsonWriter& json, std::string_view key, const Counts& counts) {
  json.object(key, [&] {
    for (const auto& [name, count] : counts) json.members(name, count);
  });
}

void write_report(JsonWriter& json, const LowerReport& report, std::span<const DimEffect> effects) {
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

void write_tensors(JsonWriter& json, std::string_view key, const Graph& graph,
                   const std::vector<NamedTensor>& tensors) {
  json.objects(key, tensors, [&](const NamedTensor& named) {
    json.members("name", named.name, "dtype", name_of(graph.dtype(named.tensor)));
    json.list("shape", graph.shape(named.tensor));
  });
}

void write_facts(JsonWriter& json, const GraphFacts& facts) {
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
                 device.unsupported_ops, "fits", fits(facts, device));
  });
}

// Inference has no optimiser, whatever the file says.
std::string what_stays(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (graph.is_trained(op)) return fmt::format("with the optimiser's copies ({})", name_of(graph.optimizer()));
  }
  return "of parameters, buffers and constants";
}

}  // namespace

std::string graph_info_text(const GraphAnswer& answer) {
  const auto& [loaded, facts, effects] = answer;
  const Graph& graph = *loaded.graph;
  Table table = Table::of_facts();
  table.add({"title", graph.title()});
  table.add({"hash", graph.structure_hash()});
  table.add({"ops", fmt::format("{} ({})", group_digits(graph.num_ops()), roles_text(facts))});
  table.add({"edges", edges_text(graph)});
  table.add({"inputs", tensors_text(graph, facts.inputs)});
  table.add({"outputs", tensors_text(graph, facts.outputs)});
  if (const Problem* problem = loaded.problem.get()) {
    table.add({"problem", fmt::format("objective {} on {}: {}", objective_name(problem->objective()),
                                      problem->machine().name(), problem->machine().description())});
  }
  table.add({"flops", format_count(graph.total_flops())});
  table.add({"parameters", parameters_text(graph, facts)});
  table.add({"resident", fmt::format("{} {}", format_bytes(facts.resident_bytes), what_stays(graph))});
  table.add({"activations", format_bytes(facts.activation_bytes) + " made by compute ops in one step"});
  if (facts.peak_bytes) table.add({"peak memory", format_bytes(*facts.peak_bytes) + " on one device"});
  table.add({"parallelism", parallelism_text(facts.parallelism)});
  table.add({"unknown types", unknown_text(facts)});
  if (loaded.report) add_report(table, *loaded.report, effects);
  return fmt::format("{}\n{}\n{}", table.text(), types_table(facts), devices_table(facts));
}

std::string graph_info_json(const GraphAnswer& answer) {
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
    write_tensors(json, "inputs", graph, facts.inputs);
    write_tensors(json, "outputs", graph, facts.outputs);
    write_facts(json, facts);
    json.key("measured_on").begin_array();
    for (const MeasuredTimes& measured : graph.measured()) json.value(measured.device_model);
    json.end_array();
    if (report) write_report(json, *report, effects);
    if (problem == nullptr) return;
    json.members("objective", objective_name(problem->objective()), "machine", problem->machine().name());
  });
}

}  // namespace berth::app
