// SPDX-License-Identifier: Apache-2.0
#include "model/node_info.h"

#include <algorithm>
#include <initializer_list>

#include "model/sizes.h"
#include "ops/flops.h"

namespace berth {
namespace {

bool is_set(const Node& node, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return node.integer(name, 0) != 0; });
}

std::vector<TensorSizes> sizes_of(const Model& model, const std::vector<ValueIndex>& values) {
  std::vector<TensorSizes> all;
  for (const ValueIndex value : values) {
    TensorSizes& sizes = all.emplace_back();
    const Shape* shape = value != kNoValue && model.values[value].shape ? &*model.values[value].shape : nullptr;
    if (shape == nullptr || !num_elements(*shape)) continue;
    sizes.emplace();
    for (const Dim& dim : *shape) sizes->push_back(dim.size);
  }
  return all;
}

OpFacts facts_of(const Model& model, const Node& node) {
  OpFacts facts{.inputs = sizes_of(model, node.inputs), .outputs = sizes_of(model, node.outputs)};
  facts.first_is_transposed = is_set(node, {"transA", "transpose_a", "adj_x"});
  facts.batch_is_inside = is_set(node, {"transBatchA"});
  facts.conv_is_transposed = is_set(node, {"transposed"});
  facts.experts_used = std::max<std::int64_t>(node.integer("k", 1), 1);
  if (const auto* equation = node.find<std::string>("equation")) facts.equation = *equation;
  if (const auto* flops = node.find<double>("body_flops")) facts.body_flops = *flops;
  return facts;
}

// ATen says so; in ONNX an inference has no use for the second output, the mask.
bool is_training(const Node& node) {
  return is_set(node, {"train"}) || (node.outputs.size() > 1 && node.outputs[1] != kNoValue);
}

}  // namespace

OpInfo info_of(const Model& model, const Node& node) {
  if (const auto info = find_op(model.dialect, node.type)) return *info;
  const auto elsewhere = find_op(node.type);
  return {.cost_class = elsewhere ? elsewhere->cost_class : CostClass::kElementwise};
}

bool is_same_tensor(const Model& model, ValueIndex input, ValueIndex output) {
  if (input == kNoValue || output == kNoValue) return false;
  const Value &from = model.values[input], &to = model.values[output];
  if (!from.dtype || from.dtype != to.dtype || !from.shape || !to.shape || !num_elements(*from.shape)) return false;
  return std::ranges::equal(*from.shape, *to.shape, {}, &Dim::size, &Dim::size);
}

bool is_view(const Model& model, const Node& node, const OpInfo& info) {
  const bool has_both =
      !node.inputs.empty() && node.inputs[0] != kNoValue && !node.outputs.empty() && node.outputs[0] != kNoValue;
  if (!has_both) return false;
  if (node.integer(kPartOfKernel, 0) != 0) return true;
  switch (info.effect) {
    case Effect::kView:
    case Effect::kViewOfState:
      return true;
    case Effect::kViewIfSameType:
      return is_same_tensor(model, node.inputs[0], node.outputs[0]);
    case Effect::kViewUnlessTraining:
      return !is_training(node);
    case Effect::kMakes:
    case Effect::kMayView:
    case Effect::kInPlace:
    case Effect::kUpdate:
      break;
  }
  return false;
}

double flops_of(const Model& model, const Node& node, const OpInfo& info) {
  if (info.flops.formula == Formula::kNone) return 0.0;
  return flops_of(info.flops, facts_of(model, node));
}

}  // namespace berth
