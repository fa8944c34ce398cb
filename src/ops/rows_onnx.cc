// SPDX-License-Identifier: Apache-2.0
// The op table: ONNX's own operators (domain ai.onnx) on numbers, by their old names (Scatter, Upsample) too, those up
// to opset 24 and a few behind it. Without those on strings, SequenceMap, and whole domains: ai.onnx.ml, and the
// gradients of ai.onnx.preview.training.
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

constexpr std::array kOnnxRows{
    OpRow{"MatMul Gemm MatMulInteger QLinearMatMul", {kMatmul, product()}},
    OpRow{"Einsum", {kMatmul, by(Formula::kEinsum)}},
    OpRow{"LSTM GRU RNN", {kMatmul, recurrent(0, 1, 2)}},
    OpRow{"Loop If Scan", {kMatmul, by(Formula::kBody)}},
    OpRow{"Conv ConvInteger DeformConv", {kConvWindowed, conv()}},
    OpRow{"QLinearConv", {kConvWindowed, conv(3)}},
    OpRow{"ConvTranspose", {kConvWindowed, conv_from(0, 1)}},
    OpRow{"Attention", {kAttention, kAttentionWithPast}},
    OpRow{"Add Sub Mul Div Neg Abs Sign Exp Log Sqrt Pow Reciprocal Floor Ceil Round Mod Clip", {kElementwise}},
    OpRow{"Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf DFT STFT", {kElementwise}},
    OpRow{"Sigmoid Tanh Relu LeakyRelu PRelu Elu Selu Celu Gelu Swish Mish Softplus Softsign", {kElementwise}},
    OpRow{"HardSigmoid HardSwish ThresholdedRelu Shrink RotaryEmbedding", {kElementwise}},
    OpRow{"Where Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf", {kElementwise}},
    OpRow{"BitShift BitwiseAnd BitwiseOr BitwiseXor BitwiseNot", {kElementwise}},
    // Views where the kernel beside them does their work (model/quantised.h).
    OpRow{"QuantizeLinear DequantizeLinear", {.cost_class = kElementwise, .effect = Effect::kViewIfSameType}},
    OpRow{"DynamicQuantizeLinear", {kElementwise}},
    OpRow{"Cast CastLike", {.cost_class = kElementwise, .effect = Effect::kViewIfSameType}},
    OpRow{"Dropout", {.cost_class = kRandom, .effect = Effect::kViewUnlessTraining}},
    OpRow{"RandomNormal RandomUniform Multinomial Bernoulli", {kRandom}},
    OpRow{"RandomNormalLike RandomUniformLike", {.cost_class = kRandom, .traffic = shape_of()}},
    OpRow{"Concat Transpose Expand Tile Pad Split ReverseSequence Trilu CenterCropPad Col2Im", {kCopy}},
    OpRow{"DepthToSpace SpaceToDepth Resize Upsample GridSample AffineGrid ImageDecoder", {kCopy}},
    OpRow{"SequenceConstruct SequenceInsert SequenceErase SplitToSequence ConcatFromSequence", {kCopy}},
    OpRow{"Slice SequenceAt", {.cost_class = kCopy, .traffic = gathered()}},
    OpRow{"ConstantOfShape Range OneHot", {kFill}},
    OpRow{"HannWindow HammingWindow BlackmanWindow MelWeightMatrix", {kFill}},
    OpRow{"EyeLike", {.cost_class = kFill, .traffic = shape_of()}},
    OpRow{"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum", {kReduction}},
    OpRow{"ReduceLogSumExp ReduceSumSquare ArgMax ArgMin TopK CumSum CumProd Det", {kReduction}},
    OpRow{"GlobalAveragePool GlobalMaxPool GlobalLpPool NonMaxSuppression NonZero Unique", {kReduction}},
    // Of several operands here, along axes in TensorFlow and ATen: class_of() tells them apart.
    OpRow{"Sum Mean Max Min", {kReduction}},
    OpRow{"Softmax LogSoftmax Hardmax SoftmaxCrossEntropyLoss", {kSoftmax}},
    OpRow{"BatchNormalization InstanceNormalization", {kBatchNorm}},
    OpRow{"LayerNormalization GroupNormalization RMSNormalization MeanVarianceNormalization", {kLayerNorm}},
    OpRow{"SimplifiedLayerNormalization LRN LpNormalization", {kLayerNorm}},
    OpRow{"MaxPool AveragePool LpPool RoiAlign MaxRoiPool MaxUnpool", {kPool}},
    OpRow{"Gather GatherND GatherElements Compress", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"NegativeLogLikelihoodLoss", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"Scatter ScatterND ScatterElements TensorScatter", {kScatter}},
    OpRow{"Adam Momentum Adagrad", {kUpdate}},
    OpRow{"Reshape Flatten Squeeze Unsqueeze Identity", view()},
    OpRow{"Shape Size SequenceLength SequenceEmpty Constant", {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"Optional OptionalGetElement OptionalHasElement", {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> onnx() { return kOnnxRows; }

}  // namespace berth::rows
