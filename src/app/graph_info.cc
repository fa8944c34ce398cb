// SPDX-License-Identifier: Apache-2.0
#include "app/graph_info.h"

#include <algorithm>
#include <map>

#include "app/output.h"
#include "cost/op_class.h"
#include "io/json_writer.h"

namespace berth::app {
namespace {

struct TypeUse {
  std::string_view type;
  std::size_t count = 0;
  double flops = 0.0;
};

// Compute ops by type, the most frequent first.
std::vector<TypeUse> types_in_use(const Graph& graph) {
  std::map<std::string_view, TypeUse> uses;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    TypeUse& use = uses[graph.type(op)];
    use.type = graph.type(op);
    ++use.count;
    use.flops += graph.flops(op);
  }
  std::vector<TypeUse> result;
  for (const auto& [type, use] : uses) result.push_back(use);
  std::ranges::stable_sort(result, std::greater<>(), &TypeUse::count);
  return result;
}

std::map<std::string_view, std::size_t> roles_in_use(const Graph& graph) {
  std::map<std::string_view, std::size_t> counts;
  for (const OpId op : graph.ops()) ++counts[name_of(graph.role(op))];
  return counts;
}

Bytes resident_bytes(const Graph& graph) {
  Bytes sum = 0;
  for (const OpId op : graph.ops()) sum += graph.resident_bytes(op);
  return sum;
}

// Outputs of compute ops, added up: what a step that frees nothing would hold.
Bytes activation_bytes(const Graph& graph) {
  Bytes sum = 0;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    for (const TensorId tensor : graph.outputs(op)) sum += graph.bytes(tensor);
  }
  return sum;
}

struct Parallelism {
  std::size_t compute = 0, depth = 0;  // compute ops: all of them, and those on the longest path
  [[nodiscard]] double width() const {
    return depth > 0 ? static_cast<double>(compute) / static_cast<double>(depth) : 0.0;
  }
};

Parallelism parallelism(const Graph& graph) {
  Parallelism result;
  std::vector<std::size_t> depth(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    std::size_t before = 0;
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      before = std::max(before, depth[index(graph.producer(tensor))]);
    }
    for (const OpId earlier : graph.control_inputs(op)) before = std::max(before, depth[index(earlier)]);
    const std::size_t own = graph.role(op) == Role::kCompute ? 1 : 0;
    depth[index(op)] = before + own;
    result.compute += own;
    result.depth = std::max(result.depth, depth[index(op)]);
  }
  return result;
}

std::string unknown_types(const std::vector<TypeUse>& types) {
  std::string text;
  for (const TypeUse& use : types) {
    if (!is_known_type(use.type))
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", use.type, group_digits(use.count));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string graph_info_text(const Graph& graph, const Problem* problem) {
  using enum Table::Align;
  constexpr std::size_t kMostTypes = 12;
  const std::vector<TypeUse> types = types_in_use(graph);
  Table facts({kLeft, kLeft});
  facts.add({"title", graph.title()});
  facts.add({"hash", graph.structure_hash()});
  std::string roles;
  for (const auto& [role, count] : roles_in_use(graph)) {
    roles += fmt::format("{}{} {}", roles.empty() ? "" : ", ", group_digits(count), role);
  }
  facts.add({"ops", fmt::format("{} ({})", group_digits(graph.num_ops()), roles)});
  facts.add({"edges", group_digits(graph.num_edges())});
  facts.add({"source", fmt::format("{} nodes, {} edges", group_digits(graph.source_nodes()),
                                   group_digits(graph.source_edges()))});
  if (problem != nullptr) {
    facts.add({"problem", fmt::format("objective {} on {}: {}", objective_name(problem->objective()),
                                      problem->machine().name(), problem->machine().description())});
  }
  facts.add({"flops", format_count(graph.total_flops())});
  facts.add({"parameters", format_bytes(graph.parameter_bytes())});
  facts.add({"resident", fmt::format("{} with the optimiser's copies ({})", format_bytes(resident_bytes(graph)),
                                     name_of(graph.optimizer()))});
  facts.add({"activations", format_bytes(activation_bytes(graph)) + " made by compute ops in one step"});
  const Parallelism shape = parallelism(graph);
  facts.add({"parallelism", fmt::format("{} compute ops on the longest path, {:.3g} side by side on average",
                                        group_digits(shape.depth), shape.width())});
  facts.add({"unknown types", unknown_types(types)});
  Table table({kLeft, kRight, kRight});
  table.add({"type", "ops", "flops"});
  for (const TypeUse& use : std::span(types).first(std::min(types.size(), kMostTypes))) {
    table.add({std::string(use.type), group_digits(use.count), use.flops > 0.0 ? format_count(use.flops) : "-"});
  }
  const std::size_t more = types.size() > kMostTypes ? types.size() - kMostTypes : 0;
  return facts.text() + "\n" + table.text() + (more > 0 ? fmt::format("... and {} more types\n", more) : "");
}

std::string graph_info_json(const Graph& graph, const Problem* problem) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  json.key("title").value(graph.title()).key("hash").value(graph.structure_hash());
  json.key("ops")
      .value(graph.num_ops())
      .key("edges")
      .value(graph.num_edges())
      .key("tensors")
      .value(graph.num_tensors());
  json.key("flops").value(graph.total_flops()).key("parameter_bytes").value(graph.parameter_bytes());
  json.key("resident_bytes").value(resident_bytes(graph)).key("optimizer").value(name_of(graph.optimizer()));
  const Parallelism shape = parallelism(graph);
  json.key("activation_bytes").value(activation_bytes(graph));
  json.key("depth").value(shape.depth).key("width").value(shape.width());
  json.key("source_nodes").value(graph.source_nodes()).key("source_edges").value(graph.source_edges());
  json.key("roles").begin_object();
  for (const auto& [role, count] : roles_in_use(graph)) json.key(role).value(count);
  json.end_object().key("unknown_ops").begin_object();
  const std::vector<TypeUse> types = types_in_use(graph);
  for (const TypeUse& use : types) {
    if (!is_known_type(use.type)) json.key(use.type).value(use.count);
  }
  json.end_object().key("types").begin_object(JsonLayout::kLines);
  for (const TypeUse& use : types) {
    json.key(use.type).begin_object().key("ops").value(use.count).key("flops").value(use.flops).end_object();
  }
  json.end_object().key("measured_on").begin_array();
  for (const MeasuredTimes& measured : graph.measured()) json.value(measured.device_model);
  json.end_array();
  if (problem != nullptr) {
    json.key("objective").value(objective_name(problem->objective()));
    json.key("machine").value(problem->machine().name());
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
