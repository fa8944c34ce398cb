// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that work element by element: arithmetic, comparisons, casts, quantisation, random numbers.
#include "model/shapes/onnx/rules.h"

#include <algorithm>

#include "model/shapes/dims.h"
#include "model/shapes/onnx/dtype.h"

namespace berth {
namespace {

// Optional inputs that are left out do not count.
std::optional<Shape> broadcast_inputs(const NodeView& node) {
  std::optional<Shape> result;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    if (!node.has(i)) continue;
    if (node.shape(i) == nullptr) return std::nullopt;
    result = result ? broadcast(*result, *node.shape(i)) : *node.shape(i);
  }
  return result;
}

// The type that an attribute names by its number.
std::optional<DType> stated_type(const NodeView& node, std::string_view attribute) {
  return dtype_of_onnx(node.integer(attribute, 0));
}

Outputs infer_like_first(const NodeView& node) { return one(node.dtype(0), copy_of(node.shape(0))); }
Outputs infer_like_second(const NodeView& node) { return one(node.dtype(1), copy_of(node.shape(1))); }

// Output i is like input i.
Outputs infer_pairs(const NodeView& node) {
  Outputs outputs;
  for (std::size_t i = 0; i < std::min(node.num_inputs(), node.num_outputs()); ++i)
    outputs.push_back({node.dtype(i), copy_of(node.shape(i))});
  return outputs;
}

// And a mask.
Outputs infer_dropout(const NodeView& node) {
  Outputs outputs = infer_like_first(node);
  if (node.num_outputs() > 1) outputs.push_back({DType::kBool, copy_of(node.shape(0))});
  return outputs;
}

Outputs infer_elementwise(const NodeView& node) { return one(node.dtype(0), broadcast_inputs(node)); }
Outputs infer_comparison(const NodeView& node) { return one(DType::kBool, broadcast_inputs(node)); }
Outputs infer_where(const NodeView& node) { return one(node.dtype(1), broadcast_inputs(node)); }

Outputs infer_cast(const NodeView& node) { return one(stated_type(node, "to"), copy_of(node.shape(0))); }
Outputs infer_cast_like(const NodeView& node) { return one(node.dtype(1), copy_of(node.shape(0))); }

Outputs infer_quantize(const NodeView& node) {
  auto dtype = stated_type(node, "output_dtype");
  if (!dtype) dtype = node.has(2) ? node.dtype(2) : DType::kU8;
  return one(dtype, copy_of(node.shape(0)));
}

Outputs infer_dequantize(const NodeView& node) {
  const auto dtype = stated_type(node, "output_dtype");
  return one(dtype ? dtype : node.dtype(1), copy_of(node.shape(0)));
}

Outputs infer_dynamic_quantize(const NodeView& node) {
  return {{DType::kU8, copy_of(node.shape(0))}, {DType::kF32, Shape{}}, {DType::kU8, Shape{}}};
}

// A, its scale and zero, b, its scale and zero.
Outputs infer_quantized_pair(const NodeView& node) {
  if (node.shape(0) == nullptr || node.shape(3) == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), broadcast(*node.shape(0), *node.shape(3)));
}

// Condition, a, its scale and zero, b, its scale and zero, ...
Outputs infer_quantized_where(const NodeView& node) {
  const Shape *condition = node.shape(0), *yes = node.shape(1), *no = node.shape(4);
  if (condition == nullptr || yes == nullptr || no == nullptr) return one(node.dtype(1), std::nullopt);
  return one(node.dtype(1), broadcast(broadcast(*condition, *yes), *no));
}

// And a mask of one bit for each element.
Outputs infer_bitmask_dropout(const NodeView& node) {
  constexpr std::int64_t kBits = 32;
  Outputs outputs = infer_like_first(node);
  const auto count = node.shape(0) != nullptr ? num_elements(*node.shape(0)) : std::nullopt;
  outputs.push_back({DType::kI32, Shape{count ? known_dim((*count + kBits - 1) / kBits) : unknown_dim()}});
  return outputs;
}

// Odds [batch, classes].
Outputs infer_multinomial(const NodeView& node) {
  const auto dtype = stated_type(node, "dtype");
  const Shape* odds = node.shape(0);
  const Dim batch = odds != nullptr && !odds->empty() ? odds->front() : unknown_dim();
  return one(dtype ? dtype : DType::kI32, Shape{batch, known_dim(node.integer("sample_size", 1))});
}

Outputs infer_random(const NodeView& node) {
  const auto dtype = stated_type(node, "dtype");
  const auto* sizes = node.integers("shape");
  std::optional<PartialNumbers> numbers;
  if (sizes != nullptr) numbers.emplace(sizes->begin(), sizes->end());
  return one(dtype ? dtype : DType::kF32, shape_in(numbers));
}

Outputs infer_random_like(const NodeView& node) {
  const auto dtype = stated_type(node, "dtype");
  return one(dtype ? dtype : node.dtype(0), copy_of(node.shape(0)));
}

// Half of the last axis gates the other half.
Outputs infer_split_gelu(const NodeView& node) {
  Outputs outputs = infer_like_first(node);
  if (!outputs[0].shape || outputs[0].shape->empty()) return outputs;
  outputs[0].shape->back() = quotient_of(outputs[0].shape->back(), 2);
  return outputs;
}

constexpr RuleRow kElementwiseRules[] = {
    {"Relu Sigmoid Tanh Gelu Erf Exp Log Sqrt Reciprocal Neg Abs Sign Floor Ceil Round Softplus Softsign Elu Selu "
     "Shrink "
     "LeakyRelu PRelu Celu HardSigmoid HardSwish Mish Swish ThresholdedRelu Clip Sin Cos Tan Asin Acos Atan Sinh Cosh "
     "Asinh Acosh Atanh BitwiseNot Identity Softmax LogSoftmax Hardmax LRN LpNormalization InstanceNormalization "
     "GroupNormalization MeanVarianceNormalization CumSum CumProd ScatterND ScatterElements Scatter TensorScatter "
     "Trilu Bernoulli ReverseSequence RotaryEmbedding Optional OptionalGetElement",
     infer_like_first},
    {"com.microsoft: Gelu FastGelu BiasGelu QuickGelu FusedGelu BiasAdd BiasSoftmax GroupNorm SkipGroupNorm "
     "RotaryEmbedding "
     "MoE QMoE LongformerAttention QLinearSigmoid QLinearLeakyRelu QLinearSoftmax GeluGrad FastGeluGrad "
     "BiasGeluGrad_dX "
     "BiasFastGeluGrad_dX SoftmaxGrad SoftmaxGrad_13 LogSoftmaxGrad LogSoftmaxGrad_13 ReluGrad TanhGrad SigmoidGrad "
     "DropoutGrad BitmaskDropoutGrad BiasDropoutGrad FakeQuantGrad ScaledSum ZeroGradient GlobalAveragePoolGrad",
     infer_like_first},
    {"com.microsoft: SoftmaxCrossEntropyLossInternalGrad SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyGrad",
     infer_like_second},
    {"com.microsoft: YieldOp PassThrough", infer_pairs},
    {"Dropout", infer_dropout},
    {"com.microsoft: BiasDropout FakeQuant", infer_dropout},
    {"com.microsoft: BitmaskDropout BitmaskBiasDropout", infer_bitmask_dropout},
    {"Add Sub Mul Div Pow Mod Max Min Mean Sum BitwiseAnd BitwiseOr BitwiseXor BitShift", infer_elementwise},
    {"Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf", infer_comparison},
    {"Where", infer_where},
    {"Cast", infer_cast},
    {"CastLike", infer_cast_like},
    {"QuantizeLinear", infer_quantize},
    {"com.microsoft: QuantizeLinear", infer_quantize},
    {"DequantizeLinear", infer_dequantize},
    {"com.microsoft: DequantizeLinear", infer_dequantize},
    {"DynamicQuantizeLinear", infer_dynamic_quantize},
    {"com.microsoft: QLinearAdd QLinearMul", infer_quantized_pair},
    {"com.microsoft: QLinearWhere", infer_quantized_where},
    {"Multinomial", infer_multinomial},
    {"RandomNormal RandomUniform", infer_random},
    {"RandomNormalLike RandomUniformLike EyeLike", infer_random_like},
    {"com.microsoft: BiasSplitGelu", infer_split_gelu},
};

}  // namespace

std::span<const RuleRow> elementwise_rules() { return kElementwiseRules; }

}  // namespace berth
