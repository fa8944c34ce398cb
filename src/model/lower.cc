// SPDX-License-Identifier: Apache-2.0
#include "model/lower.h"

#include <algorithm>
#include <unordered_set>

#include "cost/op_class.h"
#include "graph/builder.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/onnx_shapes.h"
#include "model/sizes.h"

namespace berth {
namespace {

class Lowering {
 public:
  Lowering(Model model, const LowerOptions& options)
      : model_(std::move(model)), options_(options), builder_(model_.title) {}

  Result<Lowered> run() {
    report_.dims = bind_dims(model_, options_.dims);
    for (const NamedDim& dim : report_.dims) {
      if (dim.source == DimSource::kAssumed) report_.assumed_dims.emplace(dim.name, dim.uses);
    }
    if (model_.dialect == Dialect::kOnnx) infer_onnx_shapes(model_);
    fold_constants(model_);
    producer_.assign(model_.values.size(), {kNoOp, 0});
    number_ops();
    for (const Leaf& leaf : model_.leaves) add_leaf(leaf);
    for (const Node& node : model_.nodes) BERTH_RETURN_IF_ERROR(add_node(node));
    for (const ValueIndex output : model_.outputs) {
      if (producer_[output].op != kNoOp) builder_.mark_output(producer_[output]);
    }
    builder_.set_source_counts(model_.source_nodes, model_.source_edges);
    BERTH_TRY(Graph graph, std::move(builder_).build());
    if (std::ranges::all_of(device_of_, [](const std::string& device) { return device.empty(); })) device_of_.clear();
    return Lowered{std::move(graph), std::move(report_), std::move(device_of_)};
  }

 private:
  // Leaves, then nodes: ids are needed before the ops they name are added.
  void number_ops() {
    std::size_t next = 0;
    for (const Leaf& leaf : model_.leaves) producer_[leaf.value] = {OpId(next++), 0};
    for (const Node& node : model_.nodes) {
      int output = 0;
      for (const ValueIndex value : node.outputs) {
        if (value != kNoValue) producer_[value] = {OpId(next), output++};
      }
      ++next;
    }
  }

  void add_leaf(const Leaf& leaf) {
    const Value& value = model_.values[leaf.value];
    const std::string name = unique_name(value.name, "value");
    builder_.add({.name = name,
                  .type = name_of(leaf.role),
                  .role = leaf.role,
                  .outputs = {tensor_of(value)},
                  .label = leaf.label});
    device_of_.push_back(leaf.device);
  }

  Status add_node(const Node& node) {
    OpSpec spec;
    const std::string name = unique_name(node.name, node.type);
    spec.name = name;
    spec.type = node.type;
    spec.module = node.module;
    spec.label = node.label;
    spec.colocate = node.colocate;
    for (const ValueIndex input : node.inputs) {
      if (input == kNoValue) continue;
      if (producer_[input].op == kNoOp) return bad_input("node '{}' reads a value that nothing makes", name);
      spec.inputs.push_back(producer_[input]);
    }
    for (const std::uint32_t before : node.control) spec.control_inputs.push_back(OpId(model_.leaves.size() + before));
    for (const ValueIndex output : node.outputs) {
      if (output != kNoValue) spec.outputs.push_back(tensor_of(model_.values[output]));
    }
    const bool is_view = is_view_type(model_.dialect, node) && !spec.inputs.empty() && !spec.outputs.empty();
    spec.role = is_view ? Role::kView : Role::kCompute;
    spec.flops = is_view ? 0.0 : flops_of(model_, node);
    if (!is_view && !is_known_type(node.type)) ++report_.unknown_types[node.type];
    builder_.add(spec);
    device_of_.push_back(node.device);
    if (builder_.early_error()) return *builder_.early_error();
    return {};
  }

  TensorSpec tensor_of(const Value& value) {
    TensorSpec tensor{value.dtype.value_or(DType::kF32), {}};
    if (!value.shape || !num_elements(*value.shape)) {
      report_.unknown_shapes.push_back(value.name);
      tensor.shape = {0};
      return tensor;
    }
    for (const Dim& dim : *value.shape) tensor.shape.push_back(dim.size);
    return tensor;
  }

  std::string unique_name(const std::string& wanted, const std::string& otherwise) {
    std::string name =
        !wanted.empty() ? wanted.substr(0, kMaxNameLength - 24) : otherwise.substr(0, kMaxNameLength - 24);
    if (names_.insert(name).second) return name;
    std::string numbered;
    do {
      numbered = fmt::format("{}_{}", name, ++next_suffix_);
    } while (!names_.insert(numbered).second);
    return numbered;
  }

  Model model_;
  const LowerOptions& options_;
  GraphBuilder builder_;
  LowerReport report_;
  std::vector<OutputRef> producer_;  // per value
  std::vector<std::string> device_of_;
  std::unordered_set<std::string> names_;
  std::uint64_t next_suffix_ = 0;
};

}  // namespace

Result<Lowered> lower(Model model, const LowerOptions& options) { return Lowering(std::move(model), options).run(); }

}  // namespace berth
