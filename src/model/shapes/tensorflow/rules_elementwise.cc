// SPDX-License-Identifier: Apache-2.0
// Ops whose result has the shape of an input, of all inputs broadcast, or is one number.
#include "model/shapes/tensorflow/rules.h"

#include <array>

namespace berth::tensorflow {
namespace {

Outputs like_first(const NodeView& op) { return one(copy_of(op.shape(0))); }
Outputs like_second(const NodeView& op) { return one(copy_of(op.shape(1))); }
Outputs one_number(const NodeView&) { return one(Shape()); }  // or one text

// All inputs, each repeated where it is 1.
Outputs broadcast_all(const NodeView& op) {
  if (op.shape(0) == nullptr) return one(std::nullopt);
  Shape shape = *op.shape(0);
  for (std::size_t i = 1; i < op.num_inputs(); ++i) {
    if (op.shape(i) == nullptr) return one(std::nullopt);
    shape = broadcast(shape, *op.shape(i), Mismatch::kUnknown);
  }
  return one(std::move(shape));
}

constexpr std::array kElementwiseRules{
    RuleRow{
        "Identity ReadVariableOp Snapshot Copy StopGradient PreventGradient CheckNumerics EnsureShape Print "
        "Enter Exit NextIteration RefEnter RefExit RefNextIteration LoopCond "
        "Relu Relu6 Elu Selu LeakyRelu Gelu Tanh Sigmoid Softmax LogSoftmax Softplus Softsign LRN "
        "Neg Exp Expm1 Log Log1p Sqrt Rsqrt Square Abs Sign Floor Ceil Round Rint Inv Reciprocal Cast Invert Bucketize "
        "Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Erfc Erfinv Ndtri Lgamma Digamma FFT IFFT FFT2D "
        "LogicalNot IsNan IsFinite IsInf ZerosLike OnesLike RandomShuffle InvertPermutation "
        "BiasAdd BiasAddV1 Cumsum Cumprod ClipByValue AddN AccumulateNV2 "
        "Reverse ReverseV2 ReverseSequence Roll MatrixBandPart MatrixSetDiag MatrixSetDiagV3 "
        "TensorScatterUpdate TensorScatterAdd TensorScatterSub "
        "FakeQuantWithMinMaxVars FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVarsPerChannel "
        "QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 Dequantize "
        "ReluGrad Relu6Grad EluGrad SeluGrad TanhGrad SigmoidGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad "
        "SoftplusGrad "
        "SoftsignGrad LeakyReluGrad LRNGrad MaxPoolGrad MaxPoolGradV2 MaxPoolGradWithArgmax MaxPool3DGrad "
        "Conv2DBackpropInputV2 Conv3DBackpropInput "
        "Assign AssignAdd AssignSub ApplyGradientDescent ApplyProximalGradientDescent ApplyMomentum ApplyAdagrad "
        "ApplyAdagradV2 ApplyProximalAdagrad ApplyAddSign ApplyPowerSign ApplyAdam ApplyAdaMax ApplyAdadelta "
        "ApplyRMSProp "
        "ApplyFtrl ApplyFtrlV2 ApplyAdagradDA ApplyCenteredRMSProp "
        "ScatterAdd ScatterSub ScatterUpdate ScatterMul ScatterDiv ScatterNdUpdate ScatterNdAdd "
        "SparseApplyGradientDescent SparseApplyProximalGradientDescent SparseApplyMomentum SparseApplyAdagrad "
        "SparseApplyAdagradV2 SparseApplyRMSProp SparseApplyFtrl SparseApplyAdadelta",
        like_first},
    RuleRow{"Select InTopK Conv2DBackpropFilterV2 Conv3DBackpropFilter", like_second},
    RuleRow{"Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan Maximum Minimum Pow Mod FloorMod "
            "TruncateMod "
            "Atan2 SquaredDifference Xdivy Xlogy Xlog1py Igamma Igammac Zeta Polygamma Betainc SelectV2 "
            "Greater GreaterEqual Less LessEqual Equal NotEqual LogicalAnd LogicalOr ApproximateEqual "
            "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift",
            broadcast_all},
    RuleRow{"Size Rank L2Loss IsVariableInitialized VarIsInitializedOp "
            "ScalarSummary HistogramSummary ImageSummary MergeSummary",
            one_number},
};

}  // namespace

std::span<const RuleRow> elementwise_rules() { return kElementwiseRules; }

}  // namespace berth::tensorflow
