// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_node.h"

#include <algorithm>
#include <array>
#include <set>

#include "import/pt2/pt2_text.h"
#include "import/pt2/pt2_union.h"

namespace berth {

struct Pt2NodeReader::Parts {
  JsonValue inputs, outputs;
  std::optional<JsonValue> metadata = {};
  std::string name = {}, type = {};
  std::vector<Pt2Slot> results = {};
};

namespace {

constexpr int kDeepestSubgraph = 64;  // of subgraphs
constexpr std::string_view kHigherOrder = "higher_order.";

// Run their one subgraph once, on the arguments behind it.
constexpr std::array<std::string_view, 7> kRunOnce{"higher_order.wrap_with_set_grad_enabled",
                                                   "higher_order.wrap_with_autocast",
                                                   "higher_order.invoke_subgraph",
                                                   "higher_order.wrap",
                                                   "higher_order.strict_mode",
                                                   "higher_order.wrap_activation_checkpoint",
                                                   "higher_order.tag_activation_checkpoint"};
// Kernels that take a subgraph as the formula of one element.
constexpr std::array<std::string_view, 2> kKernels{"higher_order.flex_attention",
                                                   "higher_order.flex_attention_backward"};
// Ask for sizes, not for data.
constexpr std::array<std::string_view, 4> kShapeQueries{"aten.sym_size.", "aten.sym_numel.", "aten.sym_stride.",
                                                        "aten.sym_storage_offset."};
constexpr std::array<std::string_view, 2> kAssertions{"aten._assert", "aten.sym_constrain_range"};

template <std::size_t N>
bool has_word(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return text.starts_with(b); });
}

std::string type_of_target(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (target.starts_with(kOps)) target.remove_prefix(kOps.size());
  return std::string(target);
}

// Makes numbers from sizes, or from numbers that are made so.
bool works_on_shapes(const Node& node, const std::vector<Pt2Slot>& results) {
  if (results.empty() || !(node.inputs.empty() || begins_with_any(node.type, kShapeQueries))) return false;
  return std::all_of(results.begin(), results.end(), [](const Pt2Slot& r) { return r.symbol || r.name.empty(); });
}

// Which of the arguments are subgraphs.
Result<std::vector<std::size_t>> find_graphs(const JsonValue& inputs) {
  std::vector<std::size_t> graphs;
  std::size_t index = 0;
  BERTH_RETURN_IF_ERROR(inputs.for_each([&](const JsonValue& input) -> Status {
    const auto argument = input.find("arg");
    if (argument && argument->find("as_graph")) graphs.push_back(index);
    ++index;
    return {};
  }));
  return graphs;
}

Result<std::string> read_module(const std::optional<JsonValue>& metadata) {
  if (!metadata) return std::string();
  const auto stack = metadata->find("nn_module_stack");
  if (!stack) return std::string();
  BERTH_TRY(const std::string_view text, stack->string());
  return innermost_module(text);
}

Result<std::vector<Pt2Slot>> slots_of(const JsonValue& arguments) {
  std::vector<Pt2Slot> slots;
  BERTH_RETURN_IF_ERROR(arguments.for_each([&](const JsonValue& argument) { return append_slots(argument, slots); }));
  return slots;
}

}  // namespace

Status Pt2NodeReader::read(const JsonValue& json, Pt2Scope& scope) {
  BERTH_TRY(const std::string_view target, pt2_string(json, "target"));
  BERTH_TRY(JsonValue inputs, pt2_member(json, "inputs"));
  BERTH_TRY(JsonValue outputs, pt2_member(json, "outputs"));
  Parts parts{.inputs = inputs, .outputs = outputs, .metadata = json.find("metadata"), .type = type_of_target(target)};
  BERTH_TRY(parts.results, slots_of(parts.outputs));
  if (!parts.results.empty()) parts.name = parts.results.front().name;
  if (const auto name = json.find("name"); name && !name->is_null()) {
    BERTH_TRY(parts.name, name->string());
  }
  const Status done = read_parts(parts, scope);
  if (done) return {};
  return within(fmt::format("node '{}'", parts.name), done.error());
}

Status Pt2NodeReader::read_parts(const Parts& parts, Pt2Scope& scope) {
  if (!parts.type.starts_with(kHigherOrder) || has_word(kKernels, parts.type)) return read_call(parts, scope);
  BERTH_TRY(const std::vector<std::size_t> graphs, find_graphs(parts.inputs));
  if (graphs.empty()) return read_call(parts, scope);
  if (graphs.size() > 1 || !has_word(kRunOnce, parts.type)) {
    return bad_input(
        "{} decides while it runs which subgraph to run or how often, which no plan can foresee; "
        "export the model without it",
        parts.type);
  }
  return write_out(parts, graphs.front(), scope);
}

Status Pt2NodeReader::read_call(const Parts& parts, Pt2Scope& scope) {
  Node node{.name = parts.name, .type = parts.type};
  BERTH_RETURN_IF_ERROR(
      parts.inputs.for_each([&](const JsonValue& argument) { return add_argument(argument, scope, model_, node); }));
  ++model_.source_nodes;
  model_.source_edges += std::set<ValueIndex>(node.inputs.begin(), node.inputs.end()).size();
  const bool asserts = parts.results.empty() && begins_with_any(node.type, kAssertions);
  if (asserts || works_on_shapes(node, parts.results)) return {};
  for (const Pt2Slot& result : parts.results) {
    if (result.name.empty()) continue;
    BERTH_TRY(const ValueIndex value, scope.define(model_, result.name, result.symbol));
    node.outputs.push_back(value);
  }
  BERTH_TRY(node.module, read_module(parts.metadata));
  order_.add(static_cast<std::uint32_t>(model_.nodes.size()), node);
  model_.nodes.push_back(std::move(node));
  return {};
}

Status Pt2NodeReader::write_out(const Parts& parts, std::size_t graph_index, Pt2Scope& scope) {
  if (depth_ == kDeepestSubgraph) return bad_input("subgraphs are nested more than {} deep", kDeepestSubgraph);
  const JsonValue named = *parts.inputs.at(graph_index);
  BERTH_TRY(const JsonValue argument, pt2_member(named, "arg"));
  BERTH_TRY(const JsonValue graph_argument, pt2_member(argument, "as_graph"));
  BERTH_TRY(const JsonValue graph, pt2_member(graph_argument, "graph"));
  BERTH_TRY(const std::vector<ValueIndex> operands, operands_of(parts, graph_index + 1, scope));
  Pt2Scope inner;
  BERTH_RETURN_IF_ERROR(inner.read_tables(graph));
  BERTH_RETURN_IF_ERROR(bind_inputs(graph, operands, inner));
  BERTH_TRY(const JsonValue nodes, pt2_member(graph, "nodes"));
  ++depth_;
  BERTH_RETURN_IF_ERROR(nodes.for_each([&](const JsonValue& node) { return read(node, inner); }));
  --depth_;
  return bind_outputs(parts, graph, inner, scope);
}

// The values of the arguments from number `first` on; no value for what is neither a tensor nor made by a node.
Result<std::vector<ValueIndex>> Pt2NodeReader::operands_of(const Parts& parts, std::size_t first, Pt2Scope& scope) {
  std::vector<Pt2Slot> slots;
  std::size_t index = 0;
  BERTH_RETURN_IF_ERROR(parts.inputs.for_each([&](const JsonValue& input) -> Status {
    if (index++ < first) return {};
    BERTH_TRY(const JsonValue argument, pt2_member(input, "arg"));
    return append_slots(argument, slots);
  }));
  std::vector<ValueIndex> operands;
  for (const Pt2Slot& slot : slots) {
    const auto value = slot.name.empty() ? std::nullopt : scope.find(model_, slot.name);
    if (!value && !slot.name.empty() && !slot.symbol)
      return bad_input("no node before it makes {}", in_quotes(slot.name));
    operands.push_back(value.value_or(kNoValue));
  }
  return operands;
}

Status Pt2NodeReader::bind_inputs(const JsonValue& graph, const std::vector<ValueIndex>& operands, Pt2Scope& inner) {
  BERTH_TRY(const JsonValue inputs, pt2_member(graph, "inputs"));
  BERTH_TRY(const std::vector<Pt2Slot> slots, slots_of(inputs));
  if (slots.size() > operands.size())
    return bad_input("its subgraph takes {} arguments, {} are given", slots.size(), operands.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name.empty() || (slots[i].symbol && operands[i] == kNoValue)) continue;
    if (operands[i] == kNoValue)
      return bad_input("its subgraph takes the tensor {}, none is given", in_quotes(slots[i].name));
    BERTH_RETURN_IF_ERROR(inner.bind(slots[i].name, operands[i]));
  }
  return {};
}

Status Pt2NodeReader::bind_outputs(const Parts& parts, const JsonValue& graph, Pt2Scope& inner, Pt2Scope& scope) {
  BERTH_TRY(const JsonValue outputs, pt2_member(graph, "outputs"));
  BERTH_TRY(const std::vector<Pt2Slot> slots, slots_of(outputs));
  if (slots.size() != parts.results.size())
    return bad_input("its subgraph has {} outputs, it has {}", slots.size(), parts.results.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Pt2Slot& result = parts.results[i];
    if (result.name.empty()) continue;
    const auto value = inner.find(model_, slots[i].name);
    if (value) {
      BERTH_RETURN_IF_ERROR(scope.bind(result.name, *value));
    } else if (!result.symbol) {
      return bad_input("no node of its subgraph makes {}", in_quotes(slots[i].name));
    }
  }
  return {};
}

}  // namespace berth
