// SPDX-License-Identifier: Apache-2.0
// Every kind of op the zoo makes, with its type name in the graph. What is known of the types stands in the op table
// (ops/rows_zoo.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth {

enum class OpKind : std::uint8_t {
  kParameter,
  kBuffer,
  kConstant,
  kInput,
  kReshape,
  kTranspose,
  kSplit,
  kUnstack,
  kSlice,
  kMatmul,
  kBatchMatmul,
  kConv2d,
  kConv2dGradInput,
  kConv2dGradWeight,
  kConv1d,
  kConv1dGradInput,
  kConv1dGradWeight,
  kAdd,
  kMul,
  kScale,
  kNeg,
  kBiasAdd,
  kSelect,
  kSelectGrad,
  kSigmoid,
  kSigmoidGrad,
  kTanh,
  kTanhGrad,
  kRelu,
  kReluGrad,
  kGelu,
  kGeluGrad,
  kSilu,
  kSiluGrad,
  kSoftmax,
  kSoftmaxGrad,
  kLogSoftmax,
  kLogSoftmaxGrad,
  kNllLoss,
  kNllLossGrad,
  kLayerNorm,
  kLayerNormGrad,
  kRmsNorm,
  kRmsNormGrad,
  kBatchNorm,
  kBatchNormGrad,
  kMaxPool,
  kMaxPoolGrad,
  kAvgPool,
  kAvgPoolGrad,
  kReduceSum,
  kReduceMean,
  kArgmax,
  kBroadcast,
  kEmbedding,
  kEmbeddingGrad,
  kConcat,
  kStack,
  kContiguous,
  kSliceGrad,
  kZeros,
  kOnes,
  kDropout,
  kDropoutGrad,
  kTopk,
  kTopkGrad,
  kMoeDispatch,
  kMoeDispatchGrad,
  kMoeCombine,
  kMoeCombineGrad,
  kGradAdd,
  kSgdUpdate,
  kMomentumUpdate,
  kAdamUpdate,
};
inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(OpKind::kAdamUpdate) + 1;

struct OpTypeInfo {
  OpKind kind;
  std::string_view name;  // the op's type in the graph
};

std::span<const OpTypeInfo> zoo_op_types();  // in the order of OpKind
std::string_view name_of(OpKind kind);

}  // namespace berth
