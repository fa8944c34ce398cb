// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/shape_rules.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "import/tensorflow/data_type.h"
#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

// As their first input. Types between spaces.
constexpr std::string_view kSame =
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
    "ReluGrad Relu6Grad EluGrad SeluGrad TanhGrad SigmoidGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad SoftplusGrad "
    "SoftsignGrad LeakyReluGrad LRNGrad MaxPoolGrad MaxPoolGradV2 MaxPoolGradWithArgmax MaxPool3DGrad "
    "Conv2DBackpropInputV2 Conv3DBackpropInput "
    "Assign AssignAdd AssignSub ApplyGradientDescent ApplyProximalGradientDescent ApplyMomentum ApplyAdagrad "
    "ApplyAdagradV2 ApplyProximalAdagrad ApplyAddSign ApplyPowerSign ApplyAdam ApplyAdaMax ApplyAdadelta ApplyRMSProp "
    "ApplyFtrl ApplyFtrlV2 ApplyAdagradDA ApplyCenteredRMSProp "
    "ScatterAdd ScatterSub ScatterUpdate ScatterMul ScatterDiv ScatterNdUpdate ScatterNdAdd "
    "SparseApplyGradientDescent SparseApplyProximalGradientDescent SparseApplyMomentum SparseApplyAdagrad "
    "SparseApplyAdagradV2 SparseApplyRMSProp SparseApplyFtrl SparseApplyAdadelta";

// As their second input.
constexpr std::string_view kSecondOps = "Select InTopK Conv2DBackpropFilterV2 Conv3DBackpropFilter";

// All inputs, each repeated where it is 1.
constexpr std::string_view kBroadcast =
    "Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan Maximum Minimum Pow Mod FloorMod TruncateMod "
    "Atan2 SquaredDifference Xdivy Xlogy Xlog1py Igamma Igammac Zeta Polygamma Betainc SelectV2 "
    "Greater GreaterEqual Less LessEqual Equal NotEqual LogicalAnd LogicalOr ApproximateEqual "
    "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift";

// One number, or one text.
constexpr std::string_view kScalarOps =
    "Size Rank L2Loss IsVariableInitialized VarIsInitializedOp "
    "ScalarSummary HistogramSummary ImageSummary MergeSummary";

constexpr std::array<std::string_view, 19> kBooleanOps{"Greater",
                                                       "GreaterEqual",
                                                       "Less",
                                                       "LessEqual",
                                                       "Equal",
                                                       "NotEqual",
                                                       "LogicalAnd",
                                                       "LogicalOr",
                                                       "LogicalNot",
                                                       "ApproximateEqual",
                                                       "IsNan",
                                                       "IsFinite",
                                                       "IsInf",
                                                       "All",
                                                       "Any",
                                                       "LoopCond",
                                                       "InTopK",
                                                       "IsVariableInitialized",
                                                       "VarIsInitializedOp"};

// Outputs whose type no attribute tells, or another than its name suggests.
struct FixedType {
  std::string_view type;
  std::size_t output;
  DType dtype;
};
constexpr std::array kFixedTypes{FixedType{"Merge", 1, DType::kI32},
                                 FixedType{"RefMerge", 1, DType::kI32},
                                 FixedType{"TopK", 1, DType::kI32},
                                 FixedType{"TopKV2", 1, DType::kI32},
                                 FixedType{"Rank", 0, DType::kI32},
                                 FixedType{"Where", 0, DType::kI64},
                                 FixedType{"Bucketize", 0, DType::kI32},
                                 FixedType{"MaxPoolWithArgmax", 1, DType::kI64},
                                 FixedType{"ResizeBilinear", 0, DType::kF32},
                                 FixedType{"ResizeBicubic", 0, DType::kF32},
                                 FixedType{"ResizeArea", 0, DType::kF32},
                                 FixedType{"CropAndResize", 0, DType::kF32},
                                 FixedType{"NonMaxSuppression", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV2", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV3", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV4", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV4", 1, DType::kI32},
                                 FixedType{"NonMaxSuppressionV5", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV5", 2, DType::kI32},
                                 FixedType{"QuantizeV2", 1, DType::kF32},
                                 FixedType{"QuantizeV2", 2, DType::kF32},
                                 FixedType{"TensorArrayV3", 1, DType::kF32},
                                 FixedType{"TensorArrayGradV3", 1, DType::kF32},
                                 FixedType{"TensorArrayWriteV3", 0, DType::kF32},
                                 FixedType{"TensorArrayScatterV3", 0, DType::kF32},
                                 FixedType{"TensorArrayConcatV3", 1, DType::kI64},
                                 FixedType{"TensorArraySizeV3", 0, DType::kI32},
                                 FixedType{"TensorListConcatV2", 1, DType::kI64},
                                 FixedType{"TensorListLength", 0, DType::kI32}};

Shapes same(const OpContext& op) { return one(copy_of(op.shape(0))); }

Shapes broadcast_all(const OpContext& op) {
  if (op.inputs.empty() || op.shape(0) == nullptr) return one(std::nullopt);
  Shape shape = *op.shape(0);
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    if (op.shape(i) == nullptr) return one(std::nullopt);
    shape = broadcast(shape, *op.shape(i));
  }
  return one(std::move(shape));
}

std::unordered_map<std::string_view, Rule> make_table() {
  std::unordered_map<std::string_view, Rule> table;
  for (const std::string_view type : split(kSame, ' ')) table.emplace(type, &same);
  for (const std::string_view type : split(kSecondOps, ' ')) table.emplace(type, &second);
  for (const std::string_view type : split(kBroadcast, ' ')) table.emplace(type, &broadcast_all);
  for (const std::string_view type : split(kScalarOps, ' ')) table.emplace(type, &scalar);
  for (const auto rules :
       {array_rules(), slicing_rules(), layer_rules(), cell_rules(), image_rules(), selection_rules(), list_rules()}) {
    for (const RuleRow& row : rules) table.emplace(row.type, row.rule);
  }
  return table;
}

const std::unordered_map<std::string_view, Rule>& rule_table() {
  static const std::unordered_map<std::string_view, Rule> table = make_table();
  return table;
}

Dim broadcast(const Dim& a, const Dim& b) {
  if (a == b || b.size == 1) return a;
  if (a.size == 1) return b;
  if (a.known() && b.known()) return {};  // a mistake
  if (a.known()) return a;
  return b.known() ? b : Dim{};
}

}  // namespace

Dim product(const Dim& a, const Dim& b) {
  if (a.size == 1) return b;
  if (b.size == 1) return a;
  std::int64_t size = 0;
  if (!a.known() || !b.known()) return {};
  return dim_of(__builtin_mul_overflow(a.size, b.size, &size) ? kTooLarge : size);
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) shape[shift + i] = broadcast(longer[shift + i], shorter[i]);
  return shape;
}

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Shape shape_from(std::span<const std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back(dim_of(size));
  return shape;
}

std::int64_t slice_length(SliceRange& range, std::int64_t size) {
  const bool forward = range.stride > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  const auto place = [&](std::int64_t at) {
    if (at < 0) at = at < -size ? low : at + size;
    return std::clamp(at, low, high);
  };
  range.begin = range.open_begin ? (forward ? 0 : size - 1) : place(range.begin);
  range.end = range.open_end ? (forward ? size : -1) : place(range.end);
  const std::int64_t span = forward ? range.end - range.begin : range.begin - range.end;
  const std::int64_t step = forward ? range.stride : -range.stride;
  return span <= 0 ? 0 : (span - 1) / step + 1;
}

std::optional<Shape> stated_in(const OpContext& op, std::size_t input) {
  const Shape* list = op.shape(input);
  if (list == nullptr || list->size() != 1) return std::nullopt;
  if (const auto* sizes = op.contents(input)) {
    return sizes->size() <= kMaxShapeRank ? std::optional(shape_from(*sizes)) : std::nullopt;
  }
  const Dim& rank = list->front();
  const bool is_known = rank.known() && rank.size <= static_cast<std::int64_t>(kMaxShapeRank);
  return is_known ? std::optional(Shape(static_cast<std::size_t>(rank.size))) : std::nullopt;
}

std::optional<Shape> completed(std::optional<Shape> stated, const std::optional<Shape>& inferred) {
  if (!stated) return inferred;
  if (!inferred || inferred->size() != stated->size()) return stated;
  for (std::size_t i = 0; i < stated->size(); ++i) {
    Dim& dim = (*stated)[i];
    if (!dim.known() && ((*inferred)[i].known() || dim.symbol.empty())) dim = (*inferred)[i];
  }
  return stated;
}

std::optional<Shape> with_first(const Dim& first, const Shape* shape, std::size_t from) {
  if (shape == nullptr || shape->size() < from || shape->size() - from >= kMaxShapeRank) return std::nullopt;
  Shape result{first};
  result.insert(result.end(), shape->begin() + offset(from), shape->end());
  return result;
}

bool has_shape_rule(std::string_view type) { return rule_table().contains(type); }

Shapes output_shapes(const OpContext& op) {
  const auto found = rule_table().find(op.type);
  return found != rule_table().end() ? found->second(op) : Shapes();
}

std::optional<DType> output_dtype(const OpContext& op, std::size_t output) {
  if (std::ranges::find(kBooleanOps, op.type) != kBooleanOps.end()) return DType::kBool;
  if (is_handle(op.type, output)) return std::nullopt;
  for (const FixedType& fixed : kFixedTypes) {
    if (fixed.type == op.type && fixed.output == output) return fixed.dtype;
  }
  for (const std::string_view list : {"output_types", "component_types", "Tout"}) {
    const auto types = op.attributes.data_types(list);
    if (output < types.size()) return dtype_of(types[output]);
  }
  if (op.type == "ArgMax" || op.type == "ArgMin") {
    return dtype_of(op.attributes.data_type("output_type").value_or(kInt64Type));
  }
  if (op.type == "Shape" || op.type == "ShapeN" || op.type == "Size" || op.type == "VariableShape") {
    return dtype_of(op.attributes.data_type("out_type").value_or(kInt32Type));
  }
  if (op.type.starts_with("Unique") && output > 0) {
    return dtype_of(op.attributes.data_type("out_idx").value_or(kInt32Type));
  }
  for (const std::string_view name :
       {"dtype", "DstT", "type", "out_type", "T", "Tparams", "Tidx", "TI", "element_dtype", "shape_type"}) {
    if (const auto type = op.attributes.data_type(name)) return dtype_of(*type);
  }
  return op.inputs.empty() ? std::nullopt : op.inputs.front()->dtype;
}

}  // namespace berth::tensorflow
