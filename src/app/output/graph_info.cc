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
  Table table({kLeft, kRight, kRight});
  table.add({"type", "ops", "flops"});
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

void write_report(JsonWriter& json, const LowerReport& report, std::span<const DimEffect> effects) {
  json.key("dims").begin_array(JsonLayout::kLines);
  for (const NamedDim& dim : report.dims) {
    json.begin_object().key("name").value(dim.name).key("size").value(dim.size);
    json.key("source").value(name_of_source(dim.source)).key("where").value(dim.where);
    json.key("uses").value(dim.uses).end_object();
  }
  json.end_array().key("effects_of_size_2").begin_array(JsonLayout::kLines);
  for (const DimEffect& effect : effects) {
    json.begin_object().key("name").value(effect.name).key("flops").value(effect.flops);
    json.key("activation_bytes").value(effect.activations).end_object();
  }
  json.end_array().key("unknown_shapes").begin_array();
  for (const std::string& value : report.unknown_shapes) json.value(value);
  json.end_array().key("open_branches").begin_array(JsonLayout::kLines);
  for (const auto& [node, branch] : report.branches_taken) {
    json.begin_object().key("node").value(node).key("taken").value(branch).end_object();
  }
  json.end_array().key("left_out").begin_object();
  for (const auto& [reason, count] : report.left_out) json.key(reason).value(count);
  json.end_object();
}

void write_tensors(JsonWriter& json, std::string_view key, const Graph& graph,
                   const std::vector<NamedTensor>& tensors) {
  json.key(key).begin_array(JsonLayout::kLines);
  for (const auto& [name, tensor] : tensors) {
    json.begin_object().key("name").value(name).key("dtype").value(name_of(graph.dtype(tensor)));
    json.key("shape").begin_array();
    for (const std::int64_t size : graph.shape(tensor)) json.value(size);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_parallelism(JsonWriter& json, const Parallelism& shape) {
  json.key("depth").value(shape.depth).key("width").value(shape.width()).key("max_width").value(shape.widest);
  json.key("parallelism").begin_object().key("device").value(shape.device);
  json.key("work_s").value(shape.work_s).key("critical_path_s").value(shape.path_s);
  json.key("work_over_path").value(shape.work_over_path()).end_object();
}

void write_estimates(JsonWriter& json, const GraphFacts& facts) {
  json.key("estimates").begin_array(JsonLayout::kLines);
  for (const DeviceEstimate& device : facts.devices) {
    json.begin_object().key("device").value(device.name).key("kind").value(name_of(device.kind));
    json.key("time_s").value(device.time_s).key("unsupported_ops").value(device.unsupported_ops);
    json.key("fits").value(fits(facts, device)).end_object();
  }
  json.end_array();
}

void write_types(JsonWriter& json, const GraphFacts& facts) {
  json.key("roles").begin_object();
  for (const auto& [role, count] : facts.roles) json.key(role).value(count);
  json.end_object().key("unknown_ops").begin_object();
  for (const auto& [type, count] : facts.unknown) json.key(type).value(count);
  json.end_object().key("unknown_work_share").value(facts.unknown_share);
  json.key("types").begin_object(JsonLayout::kLines);
  for (const TypeUse& use : facts.types) {
    json.key(use.type).begin_object().key("ops").value(use.count).key("flops").value(use.flops).end_object();
  }
  json.end_object();
}

// Inference has no optimiser, whatever the file says.
std::string what_stays(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (graph.is_trained(op)) return fmt::format("with the optimiser's copies ({})", name_of(graph.optimizer()));
  }
  return "of parameters, buffers and constants";
}

}  // namespace

std::string graph_info_text(const LoadedGraph& loaded, const GraphFacts& facts, std::span<const DimEffect> effects) {
  const Graph& graph = *loaded.graph;
  Table table({kLeft, kLeft});
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

std::string graph_info_json(const LoadedGraph& loaded, const GraphFacts& facts, std::span<const DimEffect> effects) {
  const Graph& graph = *loaded.graph;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  json.key("title").value(graph.title()).key("hash").value(graph.structure_hash());
  json.key("ops").value(graph.num_ops()).key("edges").value(graph.num_edges());
  json.key("tensors").value(graph.num_tensors());
  json.key("source_nodes").value(graph.source_nodes()).key("source_edges").value(graph.source_edges());
  json.key("flops").value(graph.total_flops()).key("parameter_bytes").value(graph.parameter_bytes());
  json.key("resident_bytes").value(facts.resident_bytes).key("optimizer").value(name_of(graph.optimizer()));
  json.key("activation_bytes").value(facts.activation_bytes).key("peak_bytes");
  if (facts.peak_bytes) {
    json.value(*facts.peak_bytes);
  } else {
    json.null();
  }
  json.key("parameters").value(facts.parameters).key("parameter_tensors").value(facts.parameter_tensors);
  write_tensors(json, "inputs", graph, facts.inputs);
  write_tensors(json, "outputs", graph, facts.outputs);
  write_parallelism(json, facts.parallelism);
  write_types(json, facts);
  write_estimates(json, facts);
  json.key("measured_on").begin_array();
  for (const MeasuredTimes& measured : graph.measured()) json.value(measured.device_model);
  json.end_array();
  if (loaded.report) write_report(json, *loaded.report, effects);
  if (const Problem* problem = loaded.problem.get()) {
    json.key("objective").value(objective_name(problem->objective()));
    json.key("machine").value(problem->machine().name());
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
