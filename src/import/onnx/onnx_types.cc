// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_types.h"

#include <algorithm>

#include "files/protobuf/wire.h"
#include "import/onnx/onnx_functions.h"

namespace berth {
namespace {

constexpr int kDeepestScope = 32;                        // subgraphs and calls inside each other
constexpr std::size_t kMostWork = std::size_t{1} << 23;  // nodes looked at: calls may multiply what a file has
constexpr std::size_t kBytesPerNode = 64;                // of a subgraph, which is read whenever its node is looked at

// Values of a graph or function by name.
struct TypeScope {
  OnnxTypes types = {};
  const TypeScope* around = nullptr;  // of a subgraph: it sees what is there
  const OnnxCall* call = nullptr;     // inside a function
  int depth = 0;
};

const OnnxType& type_of_name(const std::string& name, const TypeScope& scope) {
  static const OnnxType kUnknown;
  for (const TypeScope* at = &scope; at != nullptr; at = at->around) {
    if (const auto found = at->types.find(name); found != at->types.end()) return found->second;
  }
  return kUnknown;
}

// Names and stated types of a graph's inputs and outputs, and its nodes.
struct GraphContents {
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<OnnxNode> nodes = {};
};

class TypeFinder {
 public:
  explicit TypeFinder(const OnnxFunctions& functions) : functions_(functions) {}

  // Fills the scope; the types of the graph's outputs. `given` are those of its inputs where the graph states none.
  Result<std::vector<OnnxType>> run_graph(std::string_view bytes, std::span<const OnnxType> given, TypeScope& scope) {
    BERTH_TRY(GraphContents graph, read(bytes, scope));
    for (std::size_t i = 0; i < std::min(given.size(), graph.inputs.size()); ++i) set(graph.inputs[i], given[i], scope);
    BERTH_RETURN_IF_ERROR(run_nodes(std::move(graph.nodes), scope));
    std::vector<OnnxType> outputs;
    for (const std::string& name : graph.outputs) outputs.push_back(type_of_name(name, scope));
    return outputs;
  }

 private:
  static void set(const std::string& name, const OnnxType& type, TypeScope& scope) {
    if (!name.empty() && !type.empty()) scope.types.emplace(name, type);  // what is stated stays
  }

  static Result<GraphContents> read(std::string_view bytes, TypeScope& scope) {
    GraphContents graph;
    WireReader field(bytes);
    while (field.next()) {
      if (field.type() != WireType::kBytes) continue;
      const std::string_view inside = field.bytes();
      const std::uint32_t number = field.field();
      if (number == 1) {
        BERTH_TRY(OnnxNode node, read_onnx_node(inside));
        graph.nodes.push_back(std::move(node));
      } else if (number == 5 || number == 15) {
        const std::string_view tensor = number == 5 ? inside : first_bytes(inside, 1);
        set(std::string(first_bytes(tensor, 8)), tensor_type(last_number(tensor, 2)), scope);
      } else if (number >= 11 && number <= 13) {
        const std::string name(first_bytes(inside, 1));
        set(name, without_shapes(first_bytes(inside, 2)), scope);
        if (number == 11) graph.inputs.push_back(name);
        if (number == 12) graph.outputs.push_back(name);
      }
    }
    if (field.error()) return *field.error();
    return graph;
  }

  // Files should have their nodes in order, but not all do: what is left is tried again as long as that helps.
  Status run_nodes(std::vector<OnnxNode> nodes, TypeScope& scope) {
    for (std::size_t before = nodes.size() + 1; !nodes.empty() && nodes.size() < before;) {
      before = nodes.size();
      std::vector<OnnxNode> left;
      for (OnnxNode& node : nodes) {
        BERTH_TRY(const bool is_known, run_node(node, scope));
        if (!is_known) left.push_back(std::move(node));
      }
      nodes = std::move(left);
    }
    return {};
  }

  // Whether the types of all its outputs are known now.
  Result<bool> run_node(const OnnxNode& node, TypeScope& scope) {
    if (++work_ > kMostWork) return bad_input("its functions and subgraphs are too large when written out");
    BERTH_TRY(const std::vector<OnnxType> types, types_of(node, scope));
    bool is_known = true;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (i < types.size()) set(node.outputs[i], types[i], scope);
      is_known = is_known && (node.outputs[i].empty() || !type_of_name(node.outputs[i], scope).empty());
    }
    return is_known;
  }

  Result<std::vector<OnnxType>> types_of(OnnxNode node, const TypeScope& scope) {
    if (scope.call != nullptr) resolve_attributes(node, *scope.call);
    std::vector<OnnxType> inputs;
    for (const std::string& input : node.inputs) inputs.push_back(type_of_name(input, scope));
    const auto function = functions_.find(function_key(node.type, node.overload));
    if (function != functions_.end()) return types_of_call(node, function->second, inputs, scope);
    for (const OnnxAttribute& attribute : node.attributes) {
      if (attribute.graphs.size() == 1) return types_of_body(node, attribute.graphs.front(), inputs, scope);
    }
    return output_types(node, inputs);
  }

  Result<std::vector<OnnxType>> types_of_call(const OnnxNode& node, const OnnxFunction& function,
                                              std::span<const OnnxType> inputs, const TypeScope& scope) {
    if (scope.depth >= kDeepestScope) return bad_input("function '{}' calls itself, or calls are too deep", node.type);
    const OnnxCall call{node, function};
    TypeScope inner{.call = &call, .depth = scope.depth + 1};
    for (std::size_t i = 0; i < std::min(inputs.size(), function.inputs.size()); ++i) {
      set(function.inputs[i], inputs[i], inner);
    }
    BERTH_RETURN_IF_ERROR(run_nodes(function.nodes, inner));
    std::vector<OnnxType> outputs;
    for (const std::string& name : function.outputs) outputs.push_back(type_of_name(name, inner));
    return outputs;
  }

  // Of If (either branch), Loop, Scan and SequenceMap.
  Result<std::vector<OnnxType>> types_of_body(const OnnxNode& node, std::string_view body,
                                              std::span<const OnnxType> inputs, const TypeScope& scope) {
    if (scope.depth >= kDeepestScope) return bad_input("node '{}' is nested too deeply", label_of(node));
    work_ += body.size() / kBytesPerNode;
    TypeScope inner{.around = &scope, .call = scope.call, .depth = scope.depth + 1};
    std::vector<OnnxType> given;
    if (node.type == "Loop") given = {tensor_type(kOnnxInt64), tensor_type(kOnnxBool)};
    if (node.type == "Loop" && inputs.size() > 2) given.insert(given.end(), inputs.begin() + 2, inputs.end());
    if (node.type == "Scan") given.assign(inputs.begin(), inputs.end());
    for (std::size_t i = 0; node.type == "SequenceMap" && i < inputs.size(); ++i) {
      const OnnxType element = element_of_sequence(inputs[i]);
      given.push_back(element.empty() ? inputs[i] : element);
    }
    BERTH_TRY(std::vector<OnnxType> outputs, run_graph(body, given, inner));
    if (node.type == "Loop" && !outputs.empty()) outputs.erase(outputs.begin());  // whether it goes on
    if (node.type == "SequenceMap") std::ranges::transform(outputs, outputs.begin(), sequence_type);
    return outputs;
  }

  const OnnxFunctions& functions_;
  std::size_t work_ = 0;
};

}  // namespace

Result<OnnxTypes> find_onnx_types(std::string_view bytes) {
  OnnxFunctions functions;
  std::string_view graph;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(7, WireType::kBytes)) graph = field.bytes();
    if (field.is(25, WireType::kBytes)) BERTH_RETURN_IF_ERROR(read_onnx_function(field.bytes(), functions));
  }
  if (field.error()) return *field.error();
  TypeScope scope;
  BERTH_RETURN_IF_ERROR(TypeFinder(functions).run_graph(graph, {}, scope));
  return std::move(scope.types);
}

}  // namespace berth
