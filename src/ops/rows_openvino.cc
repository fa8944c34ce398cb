// SPDX-License-Identifier: Apache-2.0
// The op table: OpenVINO's opsets, 1 to 16, and what its transformations make.
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

constexpr std::array kOpenVinoRows{
    OpRow{"MatMul FullyConnected", {kMatmul, product()}},
    OpRow{"Einsum", {kMatmul, by(Formula::kEinsum)}},
    OpRow{"RNNCell GRUCell AUGRUCell", {kMatmul, recurrent(0, 2, 2)}},
    OpRow{"LSTMCell RNNSequence GRUSequence AUGRUSequence", {kMatmul, recurrent(0, 3, 2)}},
    OpRow{"LSTMSequence", {kMatmul, recurrent(0, 4, 2)}},
    OpRow{"Loop TensorIterator If", {kMatmul, by(Formula::kBody)}},
    OpRow{"Convolution BinaryConvolution", {kConvWindowed, conv()}},
    OpRow{"GroupConvolution", {kConvWindowed, conv(1, Filter::kFirstTwo)}},
    OpRow{"DeformableConvolution", {kConvWindowed, conv(2)}},
    OpRow{"ConvolutionBackpropData", {kConvWindowed, conv_from(0, 1)}},
    OpRow{"GroupConvolutionBackpropData", {kConvWindowed, conv_from(0, 1, Filter::kFirstTwo)}},
    OpRow{"ScaledDotProductAttention", {kAttention, by(Formula::kAttention)}},
    OpRow{"Add Subtract Multiply Divide Power Maximum Minimum Mod FloorMod SquaredDifference", {kElementwise}},
    OpRow{"Abs Negative Sign Exp Log Sqrt Floor Ceiling Round Erf Clamp Bucketize", {kElementwise}},
    OpRow{"Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh DFT IDFT RDFT IRDFT STFT ISTFT", {kElementwise}},
    OpRow{"Sigmoid Tanh ReLU PReLU Elu Selu Gelu Swish Mish SoftPlus SoftSign", {kElementwise}},
    OpRow{"HSwish HSigmoid HardSigmoid GRN RoPE FakeQuantize FakeConvert RegionYolo", {kElementwise}},
    OpRow{"Select Equal NotEqual Less LessEqual Greater GreaterEqual IsNaN IsInf IsFinite", {kElementwise}},
    OpRow{"LogicalAnd LogicalOr LogicalXor LogicalNot BitwiseAnd BitwiseOr BitwiseXor BitwiseNot", {kElementwise}},
    OpRow{"BitwiseLeftShift BitwiseRightShift", {kElementwise}},
    OpRow{"Convert ConvertLike", {.cost_class = kElementwise, .effect = Effect::kViewIfSameType}},
    OpRow{"RandomUniform Multinomial", {kRandom}},
    OpRow{"Concat Transpose Split VariadicSplit Broadcast Tile Pad Reverse ReverseSequence Roll", {kCopy}},
    OpRow{"DepthToSpace SpaceToDepth BatchToSpace SpaceToBatch ShuffleChannels ReorgYolo", {kCopy}},
    OpRow{"Interpolate GridSample Col2Im", {kCopy}},
    OpRow{"Slice StridedSlice Crop", {.cost_class = kCopy, .traffic = gathered()}},
    OpRow{"OneHot Range Eye PriorBox PriorBoxClustered", {kFill}},
    OpRow{"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2", {kReduction}},
    OpRow{"ReduceLogicalAnd ReduceLogicalOr TopK CumSum NonZero Unique SearchSorted", {kReduction}},
    OpRow{"NonMaxSuppression MulticlassNms MatrixNms DetectionOutput Proposal CTCGreedyDecoder", {kReduction}},
    OpRow{"CTCGreedyDecoderSeqLen CTCLoss", {kReduction}},
    OpRow{"SoftMax LogSoftmax", {kSoftmax}},
    OpRow{"BatchNormInference", {kBatchNormInference}},
    OpRow{"MVN NormalizeL2 LRN GroupNormalization RMS", {kLayerNorm}},
    OpRow{"MaxPool AvgPool AdaptiveAvgPool AdaptiveMaxPool ROIPooling ROIAlign PSROIPooling", {kPool}},
    OpRow{"DeformablePSROIPooling ROIAlignRotated", {kPool}},
    OpRow{"Gather GatherND GatherElements GatherTree", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"EmbeddingBagOffsetsSum EmbeddingBagPackedSum EmbeddingBagOffsets EmbeddingBagPacked",
          {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"EmbeddingSegmentsSum", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"ScatterUpdate ScatterNDUpdate ScatterElementsUpdate", {kScatter}},
    OpRow{"Assign", {kUpdate}},
    OpRow{"ReadValue", {.cost_class = kNothing, .traffic = kUntouched, .effect = Effect::kViewOfState}},
    OpRow{"Reshape Squeeze Unsqueeze", view()},
    OpRow{"ShapeOf Constant Parameter Result", {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> openvino() { return kOpenVinoRows; }

}  // namespace berth::rows
