// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "files/protobuf/wire.h"
#include "graph/builder.h"
#include "import/onnx/onnx_subgraphs.h"
#include "import/onnx/onnx_tensor.h"
#include "model/model.h"

namespace berth {
namespace {

constexpr int kDeepestCall = 16;

// Values of a graph, or of a function that is being written out in it, by the names they have there.
struct NameScope {
  std::unordered_map<std::string, ValueIndex> values = {};
  const OnnxCall* call = nullptr;
  std::string prefix = {};
  int depth = 0;
};

// The value of a ConstantOfShape: its type is that of its output.
void add_fill(Node& node, const Value& tensor) {
  if (!tensor.dtype) return;
  node.attributes.emplace_back("dtype", std::string(name_of(*tensor.dtype)));
  if (tensor.contents && tensor.contents->size() == 1) node.attributes.emplace_back("fill", tensor.contents->front());
}

class GraphReader {
 public:
  GraphReader(OnnxFile& file, const OnnxPlace& place) : file_(file), around_(place.around) {
    scope_.call = place.call;
    scope_.prefix = place.prefix;
    scope_.depth = place.depth;
  }

  // Weights and values first: a file may have them behind the nodes that use them.
  Result<OnnxGraph> read(std::string_view bytes) {
    BERTH_RETURN_IF_ERROR(read_initializers(bytes));
    BERTH_RETURN_IF_ERROR(read_values(bytes));
    BERTH_RETURN_IF_ERROR(read_nodes(bytes));
    for (const std::string& output : output_names_) {
      const auto found = find(output, scope_);
      if (!found || *found == kNoValue) return bad_input("output '{}' is made by no node", output);
      graph_.model.outputs.push_back(*found);
    }
    return std::move(graph_);
  }

 private:
  // The scope of a function or of this graph, as the body of a node in it sees it.
  class Around : public OnnxSurroundings {
   public:
    Around(GraphReader& reader, NameScope& scope) : reader_(reader), scope_(scope) {}
    std::optional<ValueIndex> find(const std::string& name) override { return reader_.find(name, scope_); }
    ValueIndex add_weight(Value value) override { return reader_.add_weight(std::move(value)); }

   private:
    GraphReader& reader_;
    NameScope& scope_;
  };

  Status read_initializers(std::string_view bytes) {
    WireReader field(bytes);
    while (field.next()) {
      const bool is_dense = field.is(5, WireType::kBytes);
      if (!is_dense && !field.is(15, WireType::kBytes)) continue;
      BERTH_TRY(Value value, is_dense ? read_onnx_tensor(field.bytes()) : read_onnx_sparse_tensor(field.bytes()));
      if (value.name.empty()) return bad_input("a weight has no name");
      const std::string name = value.name;
      value.name = scope_.prefix + name;
      scope_.values[name] = add_leaf(std::move(value));
    }
    if (field.error()) return *field.error();
    return {};
  }

  // Weights of a body are kept by the main graph; small constants stay where they are.
  ValueIndex add_leaf(Value value) {
    if (role_of_stored(value) == Role::kParameter) return add_weight(std::move(value));
    const ValueIndex index = graph_.model.add(std::move(value));
    graph_.model.leaves.push_back({index, Role::kConstant, {}, {}});
    return index;
  }

  ValueIndex add_weight(Value value) {
    if (around_ != nullptr) {
      Value inside = value;
      return capture(std::move(inside), around_->add_weight(std::move(value)));
    }
    const std::string label = value.name;
    const ValueIndex index = graph_.model.add(std::move(value));
    graph_.model.leaves.push_back({index, Role::kParameter, label, {}});
    return index;
  }

  ValueIndex capture(Value inside, ValueIndex outside) {
    const ValueIndex index = graph_.model.add(std::move(inside));
    graph_.captured.emplace_back(index, outside);
    return index;
  }

  Status read_values(std::string_view bytes) {
    WireReader field(bytes);
    while (field.next()) {
      const bool is_value = field.field() >= 11 && field.field() <= 13 && field.type() == WireType::kBytes;
      if (!is_value) continue;
      BERTH_TRY(Value value, read_onnx_value_info(field.bytes()));
      if (field.field() == 12) output_names_.push_back(value.name);
      if (scope_.values.contains(value.name)) continue;  // old files list weights among the inputs
      if (field.field() == 11) {
        add_input(std::move(value));
      } else {
        const std::string name = value.name;
        known_[name] = std::move(value);
      }
    }
    if (field.error()) return *field.error();
    return {};
  }

  void add_input(Value value) {
    const std::string name = value.name;
    const ValueIndex index = graph_.model.add(std::move(value));
    scope_.values[name] = index;
    graph_.inputs.push_back(index);
    if (around_ == nullptr) graph_.model.leaves.push_back({index, Role::kInput, {}, {}});
  }

  Status read_nodes(std::string_view bytes) {
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
    if (field.error()) return *field.error();
    graph_.model.source_nodes = nodes.size();
    for (const OnnxNode& node : nodes) count_edges(node);
    for (OnnxNode& node : nodes) BERTH_RETURN_IF_ERROR(add_node(std::move(node), scope_));
    return {};
  }

  // As the file has them: distinct (tensor made by a node, node that reads it).
  void count_edges(const OnnxNode& node) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& input : node.inputs) {
      if (made_.contains(input) && seen.insert(input).second) ++graph_.model.source_edges;
    }
  }

  Status add_node(OnnxNode node, NameScope& scope) {
    if (scope.call != nullptr) {
      BERTH_RETURN_IF_ERROR(charge_copy(node, scope));
      resolve_attributes(node, *scope.call);
    }
    const auto function = file_.functions.find(function_key(node.type, node.overload));
    if (function != file_.functions.end()) return write_out(function->second, node, scope);
    if (auto constant = value_of_constant(node)) return add_constant(*std::move(constant), node, scope);
    Node added;
    added.name = scope.prefix + node.name;
    added.type = node.type;
    for (const std::string& input : node.inputs) {
      BERTH_TRY(const ValueIndex value, find_input(input, node, scope));
      added.inputs.push_back(value);
    }
    if (has_subgraph(node)) {
      Around around(*this, scope);
      const OnnxPlace place{&around, scope.call, prefix_inside(node, scope.prefix), scope.depth + 1};
      BERTH_RETURN_IF_ERROR(add_bodies(node, added, file_, place));
    }
    for (const std::string& output : node.outputs) added.outputs.push_back(value_named(output, scope));
    for (auto& attribute : node.attributes) {
      if (attribute.value) added.attributes.emplace_back(attribute.name, *std::move(attribute.value));
      if (attribute.tensor) add_fill(added, *attribute.tensor);
    }
    added.module = module_of(node);
    if (graph_.model.nodes.size() >= kMaxOps) return bad_input("it has more than {} nodes", kMaxOps);
    graph_.model.nodes.push_back(std::move(added));
    return {};
  }

  Status add_constant(Value value, const OnnxNode& node, NameScope& scope) {
    const std::string& name = node.outputs.front();
    value.name = scope.prefix + name;
    const auto early = scope.values.find(name);
    if (early == scope.values.end() || early->second == kNoValue) {
      scope.values[name] = add_leaf(std::move(value));
      return {};
    }
    // Read before it was made: the value is there already.
    const Role role = role_of_stored(value);
    graph_.model.values[early->second] = std::move(value);
    graph_.model.leaves.push_back({early->second, role, {}, {}});
    return {};
  }

  std::optional<ValueIndex> find(const std::string& name, NameScope& scope) {
    if (const auto found = scope.values.find(name); found != scope.values.end()) return found->second;
    if (&scope != &scope_) return std::nullopt;  // a function sees what it is given
    if (made_.contains(name))
      return value_named(name, scope);  // files should have their nodes in order, but not all do
    const auto outside = around_ != nullptr ? around_->find(name) : std::nullopt;
    if (!outside) return std::nullopt;
    return scope.values[name] = *outside == kNoValue ? kNoValue : capture({.name = name}, *outside);
  }

  Result<ValueIndex> find_input(const std::string& name, const OnnxNode& node, NameScope& scope) {
    if (name.empty()) return kNoValue;
    if (const auto found = find(name, scope)) return *found;
    return bad_input("node '{}' reads '{}', which nothing makes", label_of(node), name);
  }

  ValueIndex value_named(const std::string& name, NameScope& scope) {
    if (name.empty()) return kNoValue;
    if (const auto found = scope.values.find(name); found != scope.values.end()) return found->second;
    Value value;
    const auto known = &scope == &scope_ ? known_.find(name) : known_.end();
    if (known != known_.end()) value = known->second;
    value.name = scope.prefix + name;
    return scope.values[name] = graph_.model.add(std::move(value));
  }

  // The nodes of a function in place of the call, their names behind the caller's.
  Status write_out(const OnnxFunction& function, const OnnxNode& caller, NameScope& scope) {
    if (scope.depth >= kDeepestCall) return bad_input("function '{}' calls itself, or calls are too deep", caller.type);
    BERTH_RETURN_IF_ERROR(charge(sizeof(Value) * function.inputs.size(), caller));
    const OnnxCall call{caller, function};
    NameScope inner{.call = &call, .prefix = prefix_inside(caller, scope.prefix), .depth = scope.depth + 1};
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      const std::string name = i < caller.inputs.size() ? caller.inputs[i] : "";
      BERTH_TRY(inner.values[function.inputs[i]], find_input(name, caller, scope));
    }
    for (const OnnxNode& node : function.nodes) BERTH_RETURN_IF_ERROR(add_node(node, inner));
    for (std::size_t i = 0; i < std::min(function.outputs.size(), caller.outputs.size()); ++i) {
      if (caller.outputs[i].empty()) continue;
      const auto made = inner.values.find(function.outputs[i]);
      if (made == inner.values.end() || made->second == kNoValue)
        return bad_input("function '{}' does not make its output '{}'", caller.type, function.outputs[i]);
      hand_out(made->second, caller.outputs[i], scope);
    }
    return {};
  }

  // Attributes are looked up before their size is known, which takes time if both sides have many.
  Status charge_copy(const OnnxNode& node, const NameScope& scope) {
    const auto& [caller, function] = *scope.call;
    const std::size_t look_ups = node.attributes.size() * (caller.attributes.size() + function.defaults.size());
    BERTH_RETURN_IF_ERROR(charge(look_ups, caller));
    return charge(size_of_copy(node, *scope.call, scope.prefix.size()), caller);
  }

  // Functions that call each other can make a small file endless.
  Status charge(std::size_t bytes, const OnnxNode& caller) {
    file_.written_out += bytes;
    if (file_.written_out <= file_.most_written_out) return {};
    return bad_input("function '{}' and those it calls are too large when written out; inline fewer of them",
                     caller.type);
  }

  // What a function made is the caller's value; one that others have read before gets it through an Identity.
  void hand_out(ValueIndex made, const std::string& name, NameScope& scope) {
    const auto [found, is_new] = scope.values.emplace(name, made);
    const auto known = &scope == &scope_ ? known_.find(name) : known_.end();
    Value& value = graph_.model.values[made];
    if (known != known_.end() && !value.shape) value.shape = known->second.shape;
    if (is_new) return;
    Node node;
    node.name = scope.prefix + name;
    node.type = "Identity";
    node.inputs = {made};
    node.outputs = {found->second};
    graph_.model.nodes.push_back(std::move(node));
  }

  OnnxFile& file_;
  OnnxSurroundings* around_;
  OnnxGraph graph_;
  NameScope scope_;
  std::unordered_map<std::string, Value> known_;  // values the file describes, by name
  std::unordered_set<std::string> made_;
  std::vector<std::string> output_names_;
};

}  // namespace

Result<OnnxGraph> read_onnx_graph(std::string_view bytes, OnnxFile& file, const OnnxPlace& place) {
  return GraphReader(file, place).read(bytes);
}

}  // namespace berth
