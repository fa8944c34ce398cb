// SPDX-License-Identifier: Apache-2.0
// The op table: ONNX Runtime's operators, domain com.microsoft, for inference and training. What is not here is looked
// up among ONNX's own.
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

constexpr std::array kOnnxMicrosoftRows{
    OpRow{"FusedMatMul TransposeMatMul FusedMatMulActivation FusedGemm GemmFastGelu GemmFloat8", {kMatmul, product()}},
    OpRow{"MatMulNBits MatMulBnb4 MatMulFpQ4 MatMulInteger16 MatMulIntegerToFloat QGemm", {kMatmul, product()}},
    OpRow{"DynamicQuantizeMatMul", {kMatmul, product()}},
    OpRow{"DynamicQuantizeLSTM", {kMatmul, recurrent(0, 1, 2)}},
    OpRow{"MoE", {kMatmul, by(Formula::kExperts)}},
    OpRow{"FusedConv NhwcConv NhwcFusedConv", {kConvWindowed, conv()}},
    OpRow{"ConvTransposeWithDynamicPads", {kConvWindowed, conv_from(0, 1)}},
    OpRow{"QLinearConvTranspose", {kConvWindowed, conv_from(0, 3)}},
    OpRow{"ConvGrad ConvTransposeGrad", {kConvGradWindowed, by(Formula::kConvBackward)}},
    OpRow{"MultiHeadAttention GroupQueryAttention SparseAttention", {kAttention, kAttentionWithPast}},
    OpRow{"DecoderMaskedMultiHeadAttention", {kAttention, kAttentionWithPast}},
    OpRow{"Attention QAttention DecoderMaskedSelfAttention PackedAttention", {kAttention, kSelfAttentionWithPast}},
    OpRow{"Gelu BiasGelu FastGelu QuickGelu BiasAdd BiasSplitGelu GemmaRotaryEmbedding", {kElementwise}},
    OpRow{"QLinearAdd QLinearMul QLinearSigmoid QLinearLeakyRelu QLinearWhere", {kElementwise}},
    OpRow{"QuantizeBFP DequantizeBFP ScaledSum MixedPrecisionScale FakeQuant FakeQuantGrad", {kElementwise}},
    OpRow{"BiasGeluGrad_dX BiasFastGeluGrad_dX DropoutGrad BitmaskDropoutGrad BiasDropoutGrad", {kElementwise}},
    OpRow{"BiasDropout BitmaskDropout BitmaskBiasDropout", {kRandom}},
    OpRow{"QLinearSoftmax BiasSoftmax SoftmaxCrossEntropy SoftmaxCrossEntropyLossInternal", {kSoftmax}},
    OpRow{"SoftmaxGrad SoftmaxGrad_13 LogSoftmaxGrad LogSoftmaxGrad_13 SoftmaxCrossEntropyGrad", {kSoftmaxGrad}},
    OpRow{"SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyLossInternalGrad", {kSoftmaxGrad}},
    OpRow{"SkipLayerNormalization SkipSimplifiedLayerNormalization GroupNorm SkipGroupNorm", {kLayerNorm}},
    OpRow{"EmbedLayerNormalization", {.cost_class = kLayerNorm, .traffic = gathered(2, 3)}},
    OpRow{"LayerNormalizationGrad InvertibleLayerNormalizationGrad SimplifiedLayerNormalizationGrad", {kLayerNormGrad}},
    OpRow{"BatchNormInternal", {kBatchNorm}},
    OpRow{"BatchNormalizationGrad", {kBatchNormGrad}},
    OpRow{"QLinearAveragePool NhwcMaxPool", {kPool}},
    OpRow{"MaxPoolGrad AveragePoolGrad GlobalAveragePoolGrad", {kPoolGrad}},
    OpRow{"QLinearReduceMean QLinearGlobalAveragePool ReduceSumTraining ReduceAllL2 IsAllFinite", {kReduction}},
    OpRow{"QLinearConcat ConcatTraining SplitTraining ReorderInput ReorderOutput UnfoldTensor", {kCopy}},
    OpRow{"RemovePadding RestorePadding PadAndUnflatten FlattenAndUnpad", {kCopy}},
    OpRow{"SliceGrad", {.cost_class = kCopy, .traffic = shape_of(1)}},
    OpRow{"GatherBlockQuantized", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"GatherGrad GatherNDGrad GatherElementsGrad", {kScatter}},
    OpRow{"AdamOptimizer AdamWOptimizer LambOptimizer SGDOptimizer SGDOptimizerV2", {kUpdate}},
    OpRow{"InPlaceAccumulator InPlaceAccumulatorV2", {kUpdate}},
    OpRow{"ZeroGradient", {kFill}},
    OpRow{"ExpandDims PassThrough", view()},
    OpRow{"BroadcastGradientArgs YieldOp Group RecordEvent WaitEvent", {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> onnx_microsoft() { return kOnnxMicrosoftRows; }

}  // namespace berth::rows
