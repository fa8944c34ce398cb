// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/op_class.h"

#include <algorithm>

#include "ops/op_table.h"
#include "problem/cost/tensor_shapes.h"

namespace berth {
namespace {

// A batch norm in training also puts out the statistics of its batch.
bool saves_statistics(const Graph& graph, OpId op) {
  const auto outputs = graph.outputs(op);
  return std::count_if(outputs.begin(), outputs.end(), [&](TensorId tensor) { return graph.bytes(tensor) > 0; }) > 1;
}

// ONNX's Sum, Mean, Max and Min take several operands and make one as large; where the same names reduce, a second
// input holds the axes.
bool joins_operands(const Graph& graph, OpId op) {
  const auto inputs = graph.inputs(op);
  const auto outputs = graph.outputs(op);
  if (inputs.size() < 2 || outputs.size() != 1) return false;
  double largest = 0.0;
  for (const TensorId input : inputs) {
    if (graph.dtype(input) != graph.dtype(outputs[0])) return false;
    largest = std::max(largest, elements(graph, input));
  }
  return elements(graph, outputs[0]) >= largest;
}

}  // namespace

CostClass class_of_type(std::string_view type) {
  const auto info = find_op(type);
  return info ? info->cost_class : CostClass::kElementwise;
}

bool is_known_type(std::string_view type) { return find_op(type).has_value(); }

CostClass class_of(const Graph& graph, OpId op) {
  const CostClass named = class_of_type(graph.type(op));
  switch (named) {
    case CostClass::kConvWindowed:
      return conv_shape(graph, op, false).windowed ? named : CostClass::kConvPointwise;
    case CostClass::kConvGradWindowed:
      return conv_shape(graph, op, true).windowed ? named : CostClass::kConvGradPointwise;
    case CostClass::kBatchNorm:
      return saves_statistics(graph, op) ? named : CostClass::kBatchNormInference;
    case CostClass::kReduction:
      return joins_operands(graph, op) ? CostClass::kElementwise : named;
    default:
      return named;
  }
}

}  // namespace berth
