// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/onnx_model.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/builder.h"
#include "io/onnx/onnx_node.h"
#include "io/onnx/onnx_tensor.h"
#include "io/wire.h"

namespace berth {
namespace {

constexpr int kDeepestCall = 16;
constexpr std::uint64_t kOldestIr = 3;
// What calls may write out, in units of a small node: a free part, and so much per byte of the file.
constexpr std::size_t kFreeInlining = 30'000, kBytesPerInlinedUnit = 4;

struct OnnxFunction {
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxNode> nodes;
};

// Values of one scope by the names they have there.
using Scope = std::unordered_map<std::string, ValueIndex>;

bool is_floating(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF64 ||
         dtype == DType::kF8;
}

std::size_t length_of(const Attribute& attribute) {
  if (const auto* words = std::get_if<std::vector<std::string>>(&attribute)) {
    std::size_t length = words->size();
    for (const std::string& word : *words) length += word.size();
    return length;
  }
  return std::visit(
      [](const auto& value) -> std::size_t {
        if constexpr (requires { value.size(); }) return value.size();
        return 1;
      },
      attribute);
}

// Of a node inside a function, in units of a small node: a call copies it.
std::size_t size_of(const OnnxNode& node, std::size_t prefix) {
  constexpr std::size_t kUnit = 64;
  std::size_t bytes = (prefix + node.name.size()) * (1 + node.outputs.size());
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) bytes += name.size();
  }
  for (const OnnxAttribute& attribute : node.attributes) {
    bytes += kUnit + (attribute.value ? 8 * length_of(*attribute.value) : 0);
    if (attribute.tensor && attribute.tensor->contents) bytes += 8 * attribute.tensor->contents->size();
  }
  for (const auto& [key, value] : node.metadata) bytes += key.size() + value.size();
  return 1 + node.inputs.size() + node.outputs.size() + bytes / kUnit;
}

// Weights are what training made: numbers with a point, or quantised matrices. The rest says shapes and indices.
Role role_of_initializer(const Value& value) {
  if (!value.dtype || !value.shape) return Role::kConstant;
  const bool has_one = std::ranges::all_of(*value.shape, [](const Dim& dim) { return dim.size == 1; });
  const bool is_narrow = bits_of(*value.dtype) <= 8 && *value.dtype != DType::kBool;
  const bool is_weight = is_floating(*value.dtype) || (is_narrow && value.shape->size() >= 2);
  return is_weight && !has_one ? Role::kParameter : Role::kConstant;
}

class OnnxReader {
 public:
  explicit OnnxReader(std::string title) { model_.title = std::move(title); }

  Result<Model> read(std::string_view bytes) {
    std::string_view graph;
    std::uint64_t ir_version = 0;
    most_inlined_ = kFreeInlining + bytes.size() / kBytesPerInlinedUnit;
    WireReader field(bytes);
    while (field.next()) {
      if (field.is(1, WireType::kVarint)) ir_version = field.varint();
      if (field.is(7, WireType::kBytes)) graph = field.bytes();
      if (field.is(25, WireType::kBytes)) BERTH_RETURN_IF_ERROR(read_function(field.bytes()));
    }
    if (field.error()) return *field.error();
    if (graph.empty()) return bad_input("it is no ONNX model: it has no graph");
    if (ir_version < kOldestIr)
      return bad_input("its IR version is {}; versions from {} (2017) on are read", ir_version, kOldestIr);
    BERTH_RETURN_IF_ERROR(read_graph(graph));
    return std::move(model_);
  }

 private:
  Status read_function(std::string_view bytes) {
    OnnxFunction function;
    std::string_view name, domain;
    WireReader field(bytes);
    while (field.next()) {
      if (field.type() != WireType::kBytes) continue;
      if (field.field() == 1) name = field.bytes();
      if (field.field() == 4) function.inputs.emplace_back(field.bytes());
      if (field.field() == 5) function.outputs.emplace_back(field.bytes());
      if (field.field() == 10) domain = field.bytes();
      if (field.field() != 7) continue;
      BERTH_TRY(OnnxNode node, read_onnx_node(field.bytes()));
      function.nodes.push_back(std::move(node));
    }
    if (field.error()) return *field.error();
    functions_[onnx_type(domain, name)] = std::move(function);
    return {};
  }

  // Weights and values first: a file may have them behind the nodes that use them.
  Status read_graph(std::string_view bytes) {
    BERTH_RETURN_IF_ERROR(read_initializers(bytes));
    BERTH_RETURN_IF_ERROR(read_values(bytes));
    std::vector<OnnxNode> nodes;
    WireReader field(bytes);
    while (field.next()) {
      if (!field.is(1, WireType::kBytes)) continue;
      if (nodes.size() == kMaxOps) return bad_input("it has more than {} nodes", kMaxOps);
      BERTH_TRY(OnnxNode node, read_onnx_node(field.bytes()));
      for (const std::string& output : node.outputs) {
        if (!output.empty() && !made_.insert(output).second) return bad_input("'{}' is made by two nodes", output);
      }
      nodes.push_back(std::move(node));
    }
    model_.source_nodes = nodes.size();
    for (const OnnxNode& node : nodes) count_edges(node);
    for (const OnnxNode& node : nodes) BERTH_RETURN_IF_ERROR(add_node(node, scope_, "", 0));
    for (const std::string& output : output_names_) {
      const auto found = scope_.find(output);
      if (found == scope_.end()) return bad_input("output '{}' is made by no node", output);
      model_.outputs.push_back(found->second);
    }
    return {};
  }

  Status read_initializers(std::string_view bytes) {
    WireReader field(bytes);
    while (field.next()) {
      if (!field.is(5, WireType::kBytes)) continue;
      BERTH_TRY(Value value, read_onnx_tensor(field.bytes()));
      if (value.name.empty()) return bad_input("a weight has no name");
      add_leaf(std::move(value));
    }
    if (field.error()) return *field.error();
    return {};
  }

  void add_leaf(Value value) {
    const Role role = role_of_initializer(value);
    const std::string name = value.name;
    const ValueIndex index = model_.add(std::move(value));
    scope_[name] = index;
    model_.leaves.push_back({index, role, role == Role::kParameter ? name : "", {}});
  }

  Status read_values(std::string_view bytes) {
    WireReader field(bytes);
    while (field.next()) {
      const bool is_value = field.field() >= 11 && field.field() <= 13 && field.type() == WireType::kBytes;
      if (!is_value) continue;
      BERTH_TRY(Value value, read_onnx_value_info(field.bytes()));
      if (field.field() == 12) output_names_.push_back(value.name);
      if (scope_.contains(value.name)) continue;  // old files list weights among the inputs
      const std::string name = value.name;
      if (field.field() == 11) {
        const ValueIndex index = model_.add(std::move(value));
        scope_[name] = index;
        model_.leaves.push_back({index, Role::kInput, {}, {}});
      } else {
        known_[name] = std::move(value);
      }
    }
    if (field.error()) return *field.error();
    return {};
  }

  // As the file has them: distinct (tensor made by a node, node that reads it).
  void count_edges(const OnnxNode& node) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& input : node.inputs) {
      if (made_.contains(input) && seen.insert(input).second) ++model_.source_edges;
    }
  }

  Status add_node(const OnnxNode& node, Scope& scope, const std::string& prefix, int depth) {
    const auto function = functions_.find(node.type);
    if (function != functions_.end()) return call(function->second, node, scope, prefix, depth);
    if (node.has_subgraph) {
      return bad_input(
          "node '{}' ({}) has a subgraph, and the file does not say how often it runs; export the model without "
          "control flow",
          node.name, node.type);
    }
    if (model_.nodes.size() >= kMaxOps) return bad_input("it has more than {} nodes", kMaxOps);
    if (node.type == "Constant" && add_constant(node, scope)) return {};
    Node added;
    added.name = prefix + node.name;
    added.type = node.type;
    for (const auto& attribute : node.attributes) {
      if (attribute.value) added.attributes.emplace_back(attribute.name, *attribute.value);
      if (attribute.tensor && attribute.tensor->dtype) constant_type(added, *attribute.tensor);
    }
    for (const std::string& input : node.inputs) {
      BERTH_TRY(const ValueIndex value, find_value(input, scope, node));
      added.inputs.push_back(value);
    }
    for (const std::string& output : node.outputs) added.outputs.push_back(value_named(output, scope, prefix));
    for (const auto& [key, value] : node.metadata) {
      if (key == "namespace") added.module = module_of(value);
    }
    model_.nodes.push_back(std::move(added));
    return {};
  }

  // The value of a ConstantOfShape: its type is that of its output.
  static void constant_type(Node& node, const Value& tensor) {
    node.attributes.emplace_back("dtype", std::string(name_of(*tensor.dtype)));
    if (tensor.contents && tensor.contents->size() == 1) node.attributes.emplace_back("fill", tensor.contents->front());
  }

  bool add_constant(const OnnxNode& node, Scope& scope) {
    if (node.outputs.size() != 1) return false;
    Value value;
    for (const OnnxAttribute& attribute : node.attributes) {
      if (attribute.tensor) {
        value = *attribute.tensor;
      } else if (attribute.value && attribute.name == "value_int") {
        if (const auto* number = std::get_if<std::int64_t>(&*attribute.value)) {
          value.dtype = DType::kI64;
          value.shape = Shape{};
          value.contents = std::vector{*number};
        }
      } else if (attribute.value && attribute.name == "value_ints") {
        if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&*attribute.value)) {
          value.dtype = DType::kI64;
          value.shape = Shape{{static_cast<std::int64_t>(numbers->size()), {}}};
          value.contents = *numbers;
        }
      } else if (attribute.name == "value_float") {
        value.dtype = DType::kF32;
        value.shape = Shape{};
      }
    }
    if (!value.dtype) return false;
    value.name = node.outputs.front();
    const Role role = role_of_initializer(value);
    const ValueIndex index = value_named(value.name, scope, "");
    model_.values[index] = std::move(value);
    model_.leaves.push_back({index, role, {}, {}});
    return true;
  }

  Result<ValueIndex> find_value(const std::string& name, Scope& scope, const OnnxNode& node) {
    if (name.empty()) return kNoValue;
    const auto found = scope.find(name);
    if (found != scope.end()) return found->second;
    // Files should have their nodes in order, but not all do.
    if (&scope == &scope_ && made_.contains(name)) return value_named(name, scope, "");
    return bad_input("node '{}' reads '{}', which nothing makes", node.name, name);
  }

  ValueIndex value_named(const std::string& name, Scope& scope, const std::string& prefix) {
    if (name.empty()) return kNoValue;
    if (const auto found = scope.find(name); found != scope.end()) return found->second;
    Value value;
    const auto known = prefix.empty() ? known_.find(name) : known_.end();
    if (known != known_.end()) value = known->second;
    value.name = prefix + name;
    return scope[name] = model_.add(std::move(value));
  }

  // The nodes of a function in place of the call, their names behind the caller's.
  Status call(const OnnxFunction& function, const OnnxNode& caller, Scope& scope, const std::string& prefix,
              int depth) {
    if (depth == kDeepestCall) return bad_input("function '{}' calls itself, or calls are too deep", caller.type);
    Scope inner;
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      const bool is_given = i < caller.inputs.size() && !caller.inputs[i].empty();
      if (!is_given) continue;
      BERTH_TRY(const ValueIndex value, find_value(caller.inputs[i], scope, caller));
      inner[function.inputs[i]] = value;
    }
    const bool has_name = !caller.name.empty() || caller.outputs.empty();
    const std::string inside = fmt::format("{}{}/", prefix, has_name ? caller.name : caller.outputs.front());
    inlined_ += 1 + function.inputs.size();
    for (const OnnxNode& node : function.nodes) {
      inlined_ += size_of(node, inside.size());
      if (inlined_ > most_inlined_)
        return bad_input("node '{}': function '{}' and what it calls are far too large for the file", caller.name,
                         caller.type);
      OnnxNode copy = node;
      for (OnnxAttribute& attribute : copy.attributes) take_from_caller(attribute, caller);
      drop_missing_inputs(copy, inner);
      BERTH_RETURN_IF_ERROR(add_node(copy, inner, inside, depth + 1));
    }
    for (std::size_t i = 0; i < std::min(function.outputs.size(), caller.outputs.size()); ++i) {
      const auto made = inner.find(function.outputs[i]);
      if (made == inner.end())
        return bad_input("function '{}' does not make its output '{}'", caller.type, function.outputs[i]);
      if (!caller.outputs[i].empty()) scope[caller.outputs[i]] = made->second;
    }
    return {};
  }

  static void take_from_caller(OnnxAttribute& attribute, const OnnxNode& caller) {
    if (attribute.from_caller.empty()) return;
    for (const OnnxAttribute& given : caller.attributes) {
      if (given.name != attribute.from_caller) continue;
      attribute.value = given.value;
      attribute.tensor = given.tensor;
    }
  }

  // An optional input of the function that the caller left out is left out inside, too.
  static void drop_missing_inputs(OnnxNode& node, const Scope& scope) {
    for (std::string& input : node.inputs) {
      if (!scope.contains(input)) input.clear();
    }
  }

  // ": ResNet/layer1: Sequential/layer1.2: Bottleneck/conv2d_9: aten.conv2d.default" -> "layer1.2": the innermost
  // module, before the op itself.
  static std::string module_of(std::string_view text) {
    const std::size_t op = text.rfind('/');
    if (op == std::string_view::npos) return {};
    text = text.substr(0, op);
    const std::size_t begin = text.rfind('/');
    if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
    text = text.substr(0, text.find(':'));
    return text.size() <= kMaxNameLength ? std::string(text) : std::string();
  }

  Model model_;
  Scope scope_;
  std::unordered_map<std::string, OnnxFunction> functions_;
  std::unordered_map<std::string, Value> known_;  // values the file describes, by name
  std::unordered_set<std::string> made_;
  std::vector<std::string> output_names_;
  std::size_t inlined_ = 0, most_inlined_ = 0;  // by calls, in units of a small node
};

}  // namespace

Result<Model> read_onnx_model(std::string_view bytes, std::string title) {
  return OnnxReader(std::move(title)).read(bytes);
}

}  // namespace berth
