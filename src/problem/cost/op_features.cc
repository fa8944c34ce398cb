// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/op_features.h"

#include <algorithm>

#include "problem/cost/tensor_shapes.h"

namespace berth {
namespace {

bool is_integer(DType dtype) {
  return dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kI16 || dtype == DType::kI8 ||
         dtype == DType::kU8;
}

double index_entries(const Graph& graph, OpId op) {
  double entries = 0.0;
  for (const TensorId tensor : graph.distinct_inputs(op)) {
    if (is_integer(graph.dtype(tensor))) entries += elements(graph, tensor);
  }
  return entries;
}

// Channels of a batch norm: the length of its per-channel inputs (weight, mean, variance), in any layout.
double longest_vector(const Graph& graph, OpId op) {
  double longest = 0.0;
  for (const TensorId tensor : graph.distinct_inputs(op)) {
    if (graph.shape(tensor).size() == 1) longest = std::max(longest, elements(graph, tensor));
  }
  return longest;
}

double batch_size(const Graph& graph, OpId op) {
  const auto inputs = graph.inputs(op);
  return inputs.empty() || graph.shape(inputs[0]).empty() ? 0.0 : static_cast<double>(graph.shape(inputs[0])[0]);
}

double output_bytes(const Graph& graph, OpId op) {
  double total = 0.0;
  for (const TensorId tensor : graph.outputs(op)) total += static_cast<double>(graph.bytes(tensor));
  return total;
}

// A gather reads of its table only the rows it writes; fills and loss gradients look at no big input.
double bytes_moved(const Graph& graph, OpId op, CostClass cost_class, double rows) {
  const auto touched = static_cast<double>(graph.bytes_touched(op));
  switch (cost_class) {
    case CostClass::kGather:
      return std::min(touched, 2.0 * output_bytes(graph, op) + 8.0 * rows);
    case CostClass::kFill:
    case CostClass::kLossGrad:
      return std::min(touched, output_bytes(graph, op));
    default:
      return touched;
  }
}

// Two narrow factors are multiplied at their rate, whatever the product is put out as: 32-bit sums, floating numbers.
// The factors are the first two inputs that are matrices; scales and zero points are not.
DType product_dtype(const Graph& graph, OpId op, DType output) {
  constexpr int kNarrow = 8;
  int factors = 0;
  DType first = output;
  for (const TensorId tensor : graph.inputs(op)) {
    if (graph.shape(tensor).size() < 2) continue;
    const DType dtype = graph.dtype(tensor);
    if (bits_of(dtype) > kNarrow || dtype == DType::kBool) break;
    if (++factors == 1) first = dtype;
    if (factors == 2) return first;
  }
  return output;
}

}  // namespace

OpFeatures features_of(const Graph& graph, OpId op) {
  OpFeatures features;
  features.cost_class = class_of(graph, op);
  features.flops = graph.flops(op);
  const auto outputs = graph.outputs(op);
  if (!outputs.empty()) features.dtype = graph.dtype(outputs[0]);
  if (features.flops > 0.0) features.dtype = product_dtype(graph, op, features.dtype);
  switch (features.cost_class) {
    case CostClass::kMatmul:
    case CostClass::kAttention:
      features.streamed = streamed_type(graph.type(op));
      features.rows = streamed_rows(graph, op, features.streamed);
      break;
    case CostClass::kConvPointwise:
    case CostClass::kConvWindowed:
      features.channels = conv_shape(graph, op, false).channels;
      break;
    case CostClass::kConvGradPointwise:
    case CostClass::kConvGradWindowed: {
      const ConvShape shape = conv_shape(graph, op, true);
      features.channels = shape.channels;
      features.products = shape.products;
      break;
    }
    case CostClass::kBatchNorm:
    case CostClass::kBatchNormInference:
    case CostClass::kBatchNormGrad:
      features.slices = longest_vector(graph, op);
      features.rows = features.slices * batch_size(graph, op);
      break;
    case CostClass::kGather:
    case CostClass::kScatter:
      features.rows = index_entries(graph, op);
      break;
    default:
      break;
  }
  features.bytes = bytes_moved(graph, op, features.cost_class, features.rows);
  return features;
}

}  // namespace berth
