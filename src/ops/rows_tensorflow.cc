// SPDX-License-Identifier: Apache-2.0
// The op table: TensorFlow 1 and 2. Names with an underscore in front are what its optimiser makes (_FusedConv2D).
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

// An optimiser's step, which writes its variable and so many slots beside it.
constexpr OpInfo step(std::uint8_t slots) {
  return {.cost_class = kUpdate, .traffic = rewrites(static_cast<std::uint8_t>(1 + slots)), .effect = Effect::kUpdate};
}
// The same for rows that an index names.
constexpr OpInfo sparse_step(std::uint8_t slots) {
  return {.cost_class = kScatter,
          .traffic = {Reads::kRewritesRows, 0, static_cast<std::uint8_t>(1 + slots)},
          .effect = Effect::kUpdate};
}

constexpr std::array kTensorFlowRows{
    OpRow{"MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul QuantizedMatMul", {kMatmul, product()}},
    OpRow{"_FusedMatMul _FusedBatchMatMulV2", {kMatmul, product()}},
    OpRow{"Einsum XlaEinsum", {kMatmul, by(Formula::kEinsum)}},
    OpRow{"SparseTensorDenseMatMul", {kMatmul}},
    OpRow{"LSTMBlockCell", {kMatmul, recurrent(0, 3, 1)}},
    OpRow{"BlockLSTM BlockLSTMV2", {kMatmul, recurrent(1, 4, 1)}},
    OpRow{"BlockLSTMGrad BlockLSTMGradV2", {kMatmul, recurrent(1, 4, 1, 2)}},
    OpRow{"GRUBlockCell GRUBlockCellGrad", {kMatmul, recurrent(0, 2, 2)}},
    OpRow{"CudnnRNN CudnnRNNV2 CudnnRNNV3", {kMatmul, recurrent(0, 3, 1)}},
    OpRow{"CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3", {kMatmul, recurrent(0, 3, 1, 2)}},
    OpRow{"Conv2D Conv3D _FusedConv2D _FusedConv3D QuantizedConv2D", {kConvWindowed, conv(1, Filter::kLast)}},
    OpRow{"DepthwiseConv2dNative DepthwiseConv2d _FusedDepthwiseConv2dNative",
          {kConvWindowed, conv(1, Filter::kLastTwo)}},
    OpRow{"Conv2DBackpropInput Conv2DBackpropInputV2 Conv3DBackpropInput Conv3DBackpropInputV2",
          {kConvGradWindowed, conv_from(2, 1, Filter::kLast)}},
    OpRow{"DepthwiseConv2dNativeBackpropInput", {kConvGradWindowed, conv_from(2, 1, Filter::kLastTwo)}},
    OpRow{"Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv3DBackpropFilter Conv3DBackpropFilterV2",
          {kConvGradWindowed, filter_gradient(2, Filter::kLast)}},
    OpRow{"DepthwiseConv2dNativeBackpropFilter", {kConvGradWindowed, filter_gradient(2, Filter::kLastTwo)}},

    OpRow{"Add AddV2 AddN AccumulateNV2 Sub Mul MulNoNan Div DivNoNan RealDiv TruncateDiv FloorDiv", {kElementwise}},
    OpRow{"Mod FloorMod TruncateMod Pow Maximum Minimum SquaredDifference Xdivy Xlogy Xlog1py", {kElementwise}},
    OpRow{"Abs Neg Sign Exp Expm1 Log Log1p Sqrt Rsqrt Square Inv Reciprocal Floor Ceil Round Rint", {kElementwise}},
    OpRow{"Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Asinh Acosh Atanh Erf Erfc Erfinv Ndtri", {kElementwise}},
    OpRow{"Lgamma Digamma Igamma Igammac Zeta Polygamma Betainc FFT IFFT FFT2D RFFT IRFFT", {kElementwise}},
    OpRow{"Sigmoid Tanh Relu Relu6 LeakyRelu Elu Selu Gelu Softplus Softsign BiasAdd BiasAddV1", {kElementwise}},
    OpRow{"ReluGrad Relu6Grad EluGrad SeluGrad SigmoidGrad TanhGrad SoftplusGrad SoftsignGrad", {kElementwise}},
    OpRow{"RsqrtGrad SqrtGrad InvGrad ReciprocalGrad LSTMBlockCellGrad ClipByValue", {kElementwise}},
    OpRow{"Equal NotEqual Less LessEqual Greater GreaterEqual ApproximateEqual Select SelectV2", {kElementwise}},
    OpRow{"LogicalAnd LogicalOr LogicalNot IsNan IsInf IsFinite InvertPermutation Bucketize", {kElementwise}},
    OpRow{"BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift RightShift", {kElementwise}},
    OpRow{"QuantizeV2 Dequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3", {kElementwise}},
    OpRow{"FakeQuantWithMinMaxVars FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVarsPerChannel", {kElementwise}},
    OpRow{"Cast Bitcast", {.cost_class = kElementwise, .effect = Effect::kViewIfSameType}},
    OpRow{"RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal RandomShuffle", {kRandom}},
    OpRow{"ParameterizedTruncatedNormal Multinomial RandomGamma RandomPoissonV2", {kRandom}},
    OpRow{"StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal", {kRandom}},
    OpRow{"StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2", {kRandom}},

    OpRow{"Concat ConcatV2 Pack ParallelConcat Transpose ConjugateTranspose BroadcastTo Tile Pad", {kCopy}},
    OpRow{"PadV2 MirrorPad Reverse ReverseV2 ReverseSequence Roll Split SplitV Unpack Copy", {kCopy}},
    OpRow{"DepthToSpace SpaceToDepth BatchToSpace BatchToSpaceND SpaceToBatch SpaceToBatchND", {kCopy}},
    OpRow{"ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea CropAndResize", {kCopy}},
    OpRow{"MatrixBandPart MatrixSetDiag MatrixSetDiagV3 DynamicStitch DynamicPartition", {kCopy}},
    OpRow{"TensorArrayWriteV3 TensorArrayGatherV3 TensorArrayScatterV3 TensorArrayConcatV3", {kCopy}},
    OpRow{"TensorArrayReadV3 TensorListGetItem TensorListPopBack TensorListGather",
          {.cost_class = kCopy, .traffic = gathered()}},
    OpRow{"TensorListSetItem TensorListStack TensorListFromTensor TensorListPushBack", {kCopy}},
    OpRow{"TensorListConcatV2", {kCopy}},
    OpRow{"Slice StridedSlice", {.cost_class = kCopy, .traffic = gathered()}},
    OpRow{"StridedSliceGrad MirrorPadGrad ResizeBilinearGrad ResizeNearestNeighborGrad", {kCopy}},
    OpRow{"Fill Range LinSpace OneHot Empty MatrixDiag MatrixDiagV3 Eye SequenceMask", {kFill}},
    OpRow{"ZerosLike OnesLike EmptyTensorList TensorListReserve", {.cost_class = kFill, .traffic = shape_of()}},
    OpRow{"Sum Mean Max Min Prod All Any ArgMax ArgMin EuclideanNorm L2Loss BiasAddGrad", {kReduction}},
    OpRow{"TopK TopKV2 Cumsum Cumprod Where Unique UniqueV2 UniqueWithCounts Bincount InTopK", {kReduction}},
    OpRow{"NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4", {kReduction}},
    OpRow{"NonMaxSuppressionV5 CombinedNonMaxSuppression CTCLoss CTCGreedyDecoder GlobalNorm", {kReduction}},
    OpRow{"Softmax LogSoftmax SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits", {kSoftmax}},
    OpRow{"FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx", {kBatchNorm}},
    OpRow{"FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3", {kBatchNormGrad}},
    OpRow{"LRN", {kLayerNorm}},
    OpRow{"LRNGrad", {kLayerNormGrad}},
    OpRow{"MaxPool MaxPoolV2 MaxPool3D MaxPoolWithArgmax AvgPool AvgPool3D Dilation2D", {kPool}},
    OpRow{"MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad AvgPoolGrad AvgPool3DGrad MaxPoolGradWithArgmax", {kPoolGrad}},
    OpRow{"Gather GatherV2 GatherNd ResourceGather ResourceGatherNd", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"ScatterNd TensorScatterUpdate TensorScatterAdd TensorScatterSub UnsortedSegmentSum", {kScatter}},
    OpRow{"SegmentSum SegmentMean SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", {kScatter}},
    OpRow{"UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd SparseToDense", {kScatter}},

    OpRow{"Assign AssignAdd AssignSub AssignVariableOp AssignAddVariableOp AssignSubVariableOp",
          {.cost_class = kUpdate, .effect = Effect::kUpdate}},
    OpRow{"ApplyGradientDescent ApplyProximalGradientDescent ResourceApplyGradientDescent", step(0)},
    OpRow{"ApplyMomentum ApplyAdagrad ApplyAdagradV2 ApplyProximalAdagrad ApplyAddSign ApplyPowerSign", step(1)},
    OpRow{"ResourceApplyMomentum ResourceApplyKerasMomentum ResourceApplyAdagrad", step(1)},
    OpRow{"ResourceApplyAdagradV2 ResourceApplyAddSign ResourceApplyPowerSign", step(1)},
    OpRow{"ApplyAdam ApplyAdaMax ApplyAdadelta ApplyRMSProp ApplyFtrl ApplyFtrlV2 ApplyAdagradDA", step(2)},
    OpRow{"ResourceApplyAdam ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyRMSProp", step(2)},
    OpRow{"ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyAdagradDA", step(2)},
    OpRow{"ApplyCenteredRMSProp ResourceApplyCenteredRMSProp ResourceApplyAdamWithAmsgrad", step(3)},
    OpRow{"ScatterAdd ScatterSub ScatterUpdate ScatterMul ScatterDiv ScatterNdUpdate ScatterNdAdd", sparse_step(0)},
    OpRow{"ResourceScatterAdd ResourceScatterSub ResourceScatterUpdate ResourceScatterNdUpdate", sparse_step(0)},
    OpRow{"SparseApplyGradientDescent SparseApplyProximalGradientDescent", sparse_step(0)},
    OpRow{"SparseApplyMomentum SparseApplyAdagrad SparseApplyAdagradV2", sparse_step(1)},
    OpRow{"ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum", sparse_step(1)},
    OpRow{"ResourceSparseApplyAdagrad ResourceSparseApplyAdagradV2", sparse_step(1)},
    OpRow{"SparseApplyRMSProp SparseApplyFtrl SparseApplyAdadelta", sparse_step(2)},
    OpRow{"ResourceSparseApplyRMSProp ResourceSparseApplyFtrl ResourceSparseApplyAdadelta", sparse_step(2)},

    OpRow{"Reshape Squeeze ExpandDims Identity StopGradient PreventGradient Snapshot", view()},
    OpRow{"CheckNumerics ReadVariableOp PlaceholderWithDefault Print EnsureShape", view()},
    OpRow{"Switch RefSwitch Enter RefEnter Exit RefExit NextIteration RefNextIteration LoopCond", view()},
    OpRow{"Merge RefMerge", {.cost_class = kNothing, .traffic = kUntouched, .effect = Effect::kViewOfState}},
    OpRow{"NoOp IdentityN Assert PrintV2 Shape ShapeN Size Rank VariableShape BroadcastGradientArgs BroadcastArgs "
          "ControlTrigger",
          {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"Const HostConst Placeholder PlaceholderV2 Variable VariableV2 VarHandleOp AutoReloadVariable",
          {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"TensorArrayV3 TensorArrayGradV3 TensorArraySizeV3 TensorArrayCloseV3",
          {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"TensorListLength TensorListElementShape", {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"ScalarSummary HistogramSummary ImageSummary MergeSummary IsVariableInitialized",
          {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"VarIsInitializedOp DestroyResourceOp", {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> tensorflow() { return kTensorFlowRows; }

}  // namespace berth::rows
