// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/elementwise.h"

#include <algorithm>

#include "model/shapes/onnx/dtype.h"
#include "model/shapes/onnx/rule_tools.h"

namespace berth {
namespace {

// Optional inputs that are left out do not count.
std::optional<Shape> broadcast_inputs(const OnnxView& node) {
  std::optional<Shape> result;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    if (!node.has(i)) continue;
    if (node.shape(i) == nullptr) return std::nullopt;
    result = result ? broadcast(*result, *node.shape(i)) : *node.shape(i);
  }
  return result;
}

// The type that an attribute names by its number.
std::optional<DType> stated_type(const OnnxView& node, std::string_view attribute) {
  return dtype_of_onnx(node.node().integer(attribute, 0));
}

}  // namespace

Outputs infer_like_first(const OnnxView& node) { return one(node.dtype(0), copy_of(node.shape(0))); }
Outputs infer_like_second(const OnnxView& node) { return one(node.dtype(1), copy_of(node.shape(1))); }

Outputs infer_pairs(const OnnxView& node) {
  Outputs outputs;
  for (std::size_t i = 0; i < std::min(node.num_inputs(), node.num_outputs()); ++i)
    outputs.push_back({node.dtype(i), copy_of(node.shape(i))});
  return outputs;
}

Outputs infer_dropout(const OnnxView& node) {
  Outputs outputs = infer_like_first(node);
  if (node.num_outputs() > 1) outputs.push_back({DType::kBool, copy_of(node.shape(0))});
  return outputs;
}

Outputs infer_elementwise(const OnnxView& node) { return one(node.dtype(0), broadcast_inputs(node)); }
Outputs infer_comparison(const OnnxView& node) { return one(DType::kBool, broadcast_inputs(node)); }
Outputs infer_where(const OnnxView& node) { return one(node.dtype(1), broadcast_inputs(node)); }

Outputs infer_cast(const OnnxView& node) { return one(stated_type(node, "to"), copy_of(node.shape(0))); }
Outputs infer_cast_like(const OnnxView& node) { return one(node.dtype(1), copy_of(node.shape(0))); }

Outputs infer_quantize(const OnnxView& node) {
  auto dtype = stated_type(node, "output_dtype");
  if (!dtype) dtype = node.has(2) ? node.dtype(2) : DType::kU8;
  return one(dtype, copy_of(node.shape(0)));
}

Outputs infer_dequantize(const OnnxView& node) {
  const auto dtype = stated_type(node, "output_dtype");
  return one(dtype ? dtype : node.dtype(1), copy_of(node.shape(0)));
}

Outputs infer_dynamic_quantize(const OnnxView& node) {
  return {{DType::kU8, copy_of(node.shape(0))}, {DType::kF32, Shape{}}, {DType::kU8, Shape{}}};
}

Outputs infer_quantized_pair(const OnnxView& node) {
  if (node.shape(0) == nullptr || node.shape(3) == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), broadcast(*node.shape(0), *node.shape(3)));
}

// Condition, a, its scale and zero, b, its scale and zero, ...
Outputs infer_quantized_where(const OnnxView& node) {
  const Shape *condition = node.shape(0), *yes = node.shape(1), *no = node.shape(4);
  if (condition == nullptr || yes == nullptr || no == nullptr) return one(node.dtype(1), std::nullopt);
  return one(node.dtype(1), broadcast(broadcast(*condition, *yes), *no));
}

Outputs infer_bitmask_dropout(const OnnxView& node) {
  constexpr std::int64_t kBits = 32;
  Outputs outputs = infer_like_first(node);
  const auto count = node.shape(0) != nullptr ? num_elements(*node.shape(0)) : std::nullopt;
  outputs.push_back({DType::kI32, Shape{count ? known_dim((*count + kBits - 1) / kBits) : unknown_dim()}});
  return outputs;
}

// Odds [batch, classes].
Outputs infer_multinomial(const OnnxView& node) {
  const auto dtype = stated_type(node, "dtype");
  const Shape* odds = node.shape(0);
  const Dim batch = odds != nullptr && !odds->empty() ? odds->front() : unknown_dim();
  return one(dtype ? dtype : DType::kI32, Shape{batch, known_dim(node.node().integer("sample_size", 1))});
}

Outputs infer_random(const OnnxView& node) {
  const auto dtype = stated_type(node, "dtype");
  const auto* sizes = node.node().find<std::vector<std::int64_t>>("shape");
  std::optional<PartialNumbers> numbers;
  if (sizes != nullptr) numbers.emplace(sizes->begin(), sizes->end());
  return one(dtype ? dtype : DType::kF32, shape_in(numbers));
}

Outputs infer_random_like(const OnnxView& node) {
  const auto dtype = stated_type(node, "dtype");
  return one(dtype ? dtype : node.dtype(0), copy_of(node.shape(0)));
}

Outputs infer_split_gelu(const OnnxView& node) {
  Outputs outputs = infer_like_first(node);
  if (!outputs[0].shape || outputs[0].shape->empty()) return outputs;
  outputs[0].shape->back() = quotient_of(outputs[0].shape->back(), 2);
  return outputs;
}

}  // namespace berth
