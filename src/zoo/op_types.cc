// SPDX-License-Identifier: Apache-2.0
#include "zoo/op_types.h"

#include <array>

namespace berth {
namespace {

constexpr std::array kClassNames{
    std::string_view("matmul"),    std::string_view("conv"),      std::string_view("conv_grad"),
    std::string_view("norm"),      std::string_view("norm_grad"), std::string_view("elementwise"),
    std::string_view("softmax"),   std::string_view("reduction"), std::string_view("gather"),
    std::string_view("scatter"),   std::string_view("pool"),      std::string_view("pool_grad"),
    std::string_view("copy"),      std::string_view("optimizer"), std::string_view("random"),
    std::string_view("attention"), std::string_view("other"),
};
static_assert(kClassNames.size() == static_cast<std::size_t>(OpClass::kOther) + 1);

constexpr std::array kTypes{
    OpTypeInfo{OpKind::kParameter, "parameter", OpClass::kOther},
    OpTypeInfo{OpKind::kBuffer, "buffer", OpClass::kOther},
    OpTypeInfo{OpKind::kConstant, "constant", OpClass::kOther},
    OpTypeInfo{OpKind::kInput, "input", OpClass::kOther},
    OpTypeInfo{OpKind::kReshape, "reshape", OpClass::kOther},
    OpTypeInfo{OpKind::kTranspose, "transpose", OpClass::kOther},
    OpTypeInfo{OpKind::kSplit, "split", OpClass::kOther},
    OpTypeInfo{OpKind::kUnstack, "unstack", OpClass::kOther},
    OpTypeInfo{OpKind::kSlice, "slice", OpClass::kOther},
    OpTypeInfo{OpKind::kMatmul, "matmul", OpClass::kMatmul},
    OpTypeInfo{OpKind::kBatchMatmul, "batch_matmul", OpClass::kMatmul},
    OpTypeInfo{OpKind::kConv2d, "conv2d", OpClass::kConv},
    OpTypeInfo{OpKind::kConv2dGradInput, "conv2d_grad_input", OpClass::kConvGrad},
    OpTypeInfo{OpKind::kConv2dGradWeight, "conv2d_grad_weight", OpClass::kConvGrad},
    OpTypeInfo{OpKind::kConv1d, "conv1d", OpClass::kConv},
    OpTypeInfo{OpKind::kConv1dGradInput, "conv1d_grad_input", OpClass::kConvGrad},
    OpTypeInfo{OpKind::kConv1dGradWeight, "conv1d_grad_weight", OpClass::kConvGrad},
    OpTypeInfo{OpKind::kAdd, "add", OpClass::kElementwise},
    OpTypeInfo{OpKind::kMul, "mul", OpClass::kElementwise},
    OpTypeInfo{OpKind::kScale, "scale", OpClass::kElementwise},
    OpTypeInfo{OpKind::kNeg, "neg", OpClass::kElementwise},
    OpTypeInfo{OpKind::kBiasAdd, "bias_add", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSelect, "select", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSelectGrad, "select_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSigmoid, "sigmoid", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSigmoidGrad, "sigmoid_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kTanh, "tanh", OpClass::kElementwise},
    OpTypeInfo{OpKind::kTanhGrad, "tanh_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kRelu, "relu", OpClass::kElementwise},
    OpTypeInfo{OpKind::kReluGrad, "relu_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kGelu, "gelu", OpClass::kElementwise},
    OpTypeInfo{OpKind::kGeluGrad, "gelu_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSilu, "silu", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSiluGrad, "silu_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSoftmax, "softmax", OpClass::kSoftmax},
    OpTypeInfo{OpKind::kSoftmaxGrad, "softmax_grad", OpClass::kSoftmax},
    OpTypeInfo{OpKind::kLogSoftmax, "log_softmax", OpClass::kSoftmax},
    OpTypeInfo{OpKind::kLogSoftmaxGrad, "log_softmax_grad", OpClass::kSoftmax},
    OpTypeInfo{OpKind::kNllLoss, "nll_loss", OpClass::kGather},
    OpTypeInfo{OpKind::kNllLossGrad, "nll_loss_grad", OpClass::kScatter},
    OpTypeInfo{OpKind::kLayerNorm, "layer_norm", OpClass::kNorm},
    OpTypeInfo{OpKind::kLayerNormGrad, "layer_norm_grad", OpClass::kNormGrad},
    OpTypeInfo{OpKind::kRmsNorm, "rms_norm", OpClass::kNorm},
    OpTypeInfo{OpKind::kRmsNormGrad, "rms_norm_grad", OpClass::kNormGrad},
    OpTypeInfo{OpKind::kBatchNorm, "batch_norm", OpClass::kNorm},
    OpTypeInfo{OpKind::kBatchNormGrad, "batch_norm_grad", OpClass::kNormGrad},
    OpTypeInfo{OpKind::kMaxPool, "max_pool", OpClass::kPool},
    OpTypeInfo{OpKind::kMaxPoolGrad, "max_pool_grad", OpClass::kPoolGrad},
    OpTypeInfo{OpKind::kAvgPool, "avg_pool", OpClass::kPool},
    OpTypeInfo{OpKind::kAvgPoolGrad, "avg_pool_grad", OpClass::kPoolGrad},
    OpTypeInfo{OpKind::kReduceSum, "reduce_sum", OpClass::kReduction},
    OpTypeInfo{OpKind::kReduceMean, "reduce_mean", OpClass::kReduction},
    OpTypeInfo{OpKind::kArgmax, "argmax", OpClass::kReduction},
    OpTypeInfo{OpKind::kBroadcast, "broadcast", OpClass::kCopy},
    OpTypeInfo{OpKind::kEmbedding, "embedding", OpClass::kGather},
    OpTypeInfo{OpKind::kEmbeddingGrad, "embedding_grad", OpClass::kScatter},
    OpTypeInfo{OpKind::kConcat, "concat", OpClass::kCopy},
    OpTypeInfo{OpKind::kStack, "stack", OpClass::kCopy},
    OpTypeInfo{OpKind::kContiguous, "contiguous", OpClass::kCopy},
    OpTypeInfo{OpKind::kSliceGrad, "slice_grad", OpClass::kCopy},
    OpTypeInfo{OpKind::kZeros, "zeros", OpClass::kCopy},
    OpTypeInfo{OpKind::kOnes, "ones", OpClass::kCopy},
    OpTypeInfo{OpKind::kDropout, "dropout", OpClass::kRandom},
    OpTypeInfo{OpKind::kDropoutGrad, "dropout_grad", OpClass::kElementwise},
    OpTypeInfo{OpKind::kTopk, "topk", OpClass::kReduction},
    OpTypeInfo{OpKind::kTopkGrad, "topk_grad", OpClass::kScatter},
    OpTypeInfo{OpKind::kMoeDispatch, "moe_dispatch", OpClass::kGather},
    OpTypeInfo{OpKind::kMoeDispatchGrad, "moe_dispatch_grad", OpClass::kScatter},
    OpTypeInfo{OpKind::kMoeCombine, "moe_combine", OpClass::kGather},
    OpTypeInfo{OpKind::kMoeCombineGrad, "moe_combine_grad", OpClass::kScatter},
    OpTypeInfo{OpKind::kGradAdd, "grad_add", OpClass::kElementwise},
    OpTypeInfo{OpKind::kSgdUpdate, "sgd_update", OpClass::kOptimizer},
    OpTypeInfo{OpKind::kMomentumUpdate, "momentum_update", OpClass::kOptimizer},
    OpTypeInfo{OpKind::kAdamUpdate, "adam_update", OpClass::kOptimizer},
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

std::string_view name_of(OpClass op_class) { return kClassNames[static_cast<std::size_t>(op_class)]; }
std::span<const OpTypeInfo> zoo_op_types() { return kTypes; }
std::string_view name_of(OpKind kind) { return kTypes[static_cast<std::size_t>(kind)].name; }

}  // namespace berth
