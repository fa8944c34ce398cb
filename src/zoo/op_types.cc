// SPDX-License-Identifier: Apache-2.0
#include "zoo/op_types.h"

#include <array>

namespace berth {
namespace {

constexpr std::array kTypes{
    OpTypeInfo{OpKind::kParameter, "parameter"},
    OpTypeInfo{OpKind::kBuffer, "buffer"},
    OpTypeInfo{OpKind::kConstant, "constant"},
    OpTypeInfo{OpKind::kInput, "input"},
    OpTypeInfo{OpKind::kReshape, "reshape"},
    OpTypeInfo{OpKind::kTranspose, "transpose"},
    OpTypeInfo{OpKind::kSplit, "split"},
    OpTypeInfo{OpKind::kUnstack, "unstack"},
    OpTypeInfo{OpKind::kSlice, "slice"},
    OpTypeInfo{OpKind::kMatmul, "matmul"},
    OpTypeInfo{OpKind::kBatchMatmul, "batch_matmul"},
    OpTypeInfo{OpKind::kConv2d, "conv2d"},
    OpTypeInfo{OpKind::kConv2dGradInput, "conv2d_grad_input"},
    OpTypeInfo{OpKind::kConv2dGradWeight, "conv2d_grad_weight"},
    OpTypeInfo{OpKind::kConv1d, "conv1d"},
    OpTypeInfo{OpKind::kConv1dGradInput, "conv1d_grad_input"},
    OpTypeInfo{OpKind::kConv1dGradWeight, "conv1d_grad_weight"},
    OpTypeInfo{OpKind::kAdd, "add"},
    OpTypeInfo{OpKind::kMul, "mul"},
    OpTypeInfo{OpKind::kScale, "scale"},
    OpTypeInfo{OpKind::kNeg, "neg"},
    OpTypeInfo{OpKind::kBiasAdd, "bias_add"},
    OpTypeInfo{OpKind::kSelect, "select"},
    OpTypeInfo{OpKind::kSelectGrad, "select_grad"},
    OpTypeInfo{OpKind::kSigmoid, "sigmoid"},
    OpTypeInfo{OpKind::kSigmoidGrad, "sigmoid_grad"},
    OpTypeInfo{OpKind::kTanh, "tanh"},
    OpTypeInfo{OpKind::kTanhGrad, "tanh_grad"},
    OpTypeInfo{OpKind::kRelu, "relu"},
    OpTypeInfo{OpKind::kReluGrad, "relu_grad"},
    OpTypeInfo{OpKind::kGelu, "gelu"},
    OpTypeInfo{OpKind::kGeluGrad, "gelu_grad"},
    OpTypeInfo{OpKind::kSilu, "silu"},
    OpTypeInfo{OpKind::kSiluGrad, "silu_grad"},
    OpTypeInfo{OpKind::kSoftmax, "softmax"},
    OpTypeInfo{OpKind::kSoftmaxGrad, "softmax_grad"},
    OpTypeInfo{OpKind::kLogSoftmax, "log_softmax"},
    OpTypeInfo{OpKind::kLogSoftmaxGrad, "log_softmax_grad"},
    OpTypeInfo{OpKind::kNllLoss, "nll_loss"},
    OpTypeInfo{OpKind::kNllLossGrad, "nll_loss_grad"},
    OpTypeInfo{OpKind::kLayerNorm, "layer_norm"},
    OpTypeInfo{OpKind::kLayerNormGrad, "layer_norm_grad"},
    OpTypeInfo{OpKind::kRmsNorm, "rms_norm"},
    OpTypeInfo{OpKind::kRmsNormGrad, "rms_norm_grad"},
    OpTypeInfo{OpKind::kBatchNorm, "batch_norm"},
    OpTypeInfo{OpKind::kBatchNormGrad, "batch_norm_grad"},
    OpTypeInfo{OpKind::kMaxPool, "max_pool"},
    OpTypeInfo{OpKind::kMaxPoolGrad, "max_pool_grad"},
    OpTypeInfo{OpKind::kAvgPool, "avg_pool"},
    OpTypeInfo{OpKind::kAvgPoolGrad, "avg_pool_grad"},
    OpTypeInfo{OpKind::kReduceSum, "reduce_sum"},
    OpTypeInfo{OpKind::kReduceMean, "reduce_mean"},
    OpTypeInfo{OpKind::kArgmax, "argmax"},
    OpTypeInfo{OpKind::kBroadcast, "broadcast"},
    OpTypeInfo{OpKind::kEmbedding, "embedding"},
    OpTypeInfo{OpKind::kEmbeddingGrad, "embedding_grad"},
    OpTypeInfo{OpKind::kConcat, "concat"},
    OpTypeInfo{OpKind::kStack, "stack"},
    OpTypeInfo{OpKind::kContiguous, "contiguous"},
    OpTypeInfo{OpKind::kSliceGrad, "slice_grad"},
    OpTypeInfo{OpKind::kZeros, "zeros"},
    OpTypeInfo{OpKind::kOnes, "ones"},
    OpTypeInfo{OpKind::kDropout, "dropout"},
    OpTypeInfo{OpKind::kDropoutGrad, "dropout_grad"},
    OpTypeInfo{OpKind::kTopk, "topk"},
    OpTypeInfo{OpKind::kTopkGrad, "topk_grad"},
    OpTypeInfo{OpKind::kMoeDispatch, "moe_dispatch"},
    OpTypeInfo{OpKind::kMoeDispatchGrad, "moe_dispatch_grad"},
    OpTypeInfo{OpKind::kMoeCombine, "moe_combine"},
    OpTypeInfo{OpKind::kMoeCombineGrad, "moe_combine_grad"},
    OpTypeInfo{OpKind::kGradAdd, "grad_add"},
    OpTypeInfo{OpKind::kSgdUpdate, "sgd_update"},
    OpTypeInfo{OpKind::kMomentumUpdate, "momentum_update"},
    OpTypeInfo{OpKind::kAdamUpdate, "adam_update"},
};
static_assert(kTypes.size() == kOpKinds);

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].kind != static_cast<OpKind>(i)) return false;
  }
  return true;
}
static_assert(rows_follow_the_enum());

}  // namespace

std::span<const OpTypeInfo> zoo_op_types() { return kTypes; }
std::string_view name_of(OpKind kind) { return kTypes[static_cast<std::size_t>(kind)].name; }

}  // namespace berth
