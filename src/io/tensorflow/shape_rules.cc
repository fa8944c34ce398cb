// SPDX-License-Identifier: Apache-2.0
#include "io/tensorflow/shape_rules.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "io/tensorflow/data_type.h"
#include "io/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

// As their first input.
constexpr std::array<std::string_view, 83> kSame{"Identity",
                                                 "ReadVariableOp",
                                                 "Snapshot",
                                                 "Relu",
                                                 "Relu6",
                                                 "Elu",
                                                 "Selu",
                                                 "LeakyRelu",
                                                 "Gelu",
                                                 "Tanh",
                                                 "Sigmoid",
                                                 "Softmax",
                                                 "LogSoftmax",
                                                 "Softplus",
                                                 "Softsign",
                                                 "Neg",
                                                 "Exp",
                                                 "Expm1",
                                                 "Log",
                                                 "Log1p",
                                                 "Sqrt",
                                                 "Rsqrt",
                                                 "Square",
                                                 "Abs",
                                                 "Sign",
                                                 "Floor",
                                                 "Ceil",
                                                 "Round",
                                                 "Rint",
                                                 "Sin",
                                                 "Cos",
                                                 "Tan",
                                                 "Asin",
                                                 "Acos",
                                                 "Atan",
                                                 "Sinh",
                                                 "Cosh",
                                                 "Erf",
                                                 "Erfc",
                                                 "Lgamma",
                                                 "Digamma",
                                                 "Inv",
                                                 "Reciprocal",
                                                 "Cast",
                                                 "StopGradient",
                                                 "PreventGradient",
                                                 "CheckNumerics",
                                                 "ZerosLike",
                                                 "OnesLike",
                                                 "Enter",
                                                 "Exit",
                                                 "NextIteration",
                                                 "RefEnter",
                                                 "RefExit",
                                                 "RefNextIteration",
                                                 "LoopCond",
                                                 "BiasAdd",
                                                 "BiasAddV1",
                                                 "LRN",
                                                 "Cumsum",
                                                 "Cumprod",
                                                 "ClipByValue",
                                                 "ReverseV2",
                                                 "ReverseSequence",
                                                 "LogicalNot",
                                                 "IsNan",
                                                 "IsFinite",
                                                 "IsInf",
                                                 "Print",
                                                 "RandomShuffle",
                                                 "AddN",
                                                 "AccumulateNV2",
                                                 "ReluGrad",
                                                 "Relu6Grad",
                                                 "EluGrad",
                                                 "SeluGrad",
                                                 "TanhGrad",
                                                 "SigmoidGrad",
                                                 "SqrtGrad",
                                                 "RsqrtGrad",
                                                 "SoftplusGrad",
                                                 "LeakyReluGrad",
                                                 "InvertPermutation"};

constexpr std::array<std::string_view, 31> kBroadcast{"Add",
                                                      "AddV2",
                                                      "Sub",
                                                      "Mul",
                                                      "Div",
                                                      "RealDiv",
                                                      "FloorDiv",
                                                      "TruncateDiv",
                                                      "DivNoNan",
                                                      "MulNoNan",
                                                      "Maximum",
                                                      "Minimum",
                                                      "Pow",
                                                      "Mod",
                                                      "FloorMod",
                                                      "TruncateMod",
                                                      "Atan2",
                                                      "SquaredDifference",
                                                      "Xdivy",
                                                      "Xlogy",
                                                      "Greater",
                                                      "GreaterEqual",
                                                      "Less",
                                                      "LessEqual",
                                                      "Equal",
                                                      "NotEqual",
                                                      "LogicalAnd",
                                                      "LogicalOr",
                                                      "ApproximateEqual",
                                                      "BitwiseAnd",
                                                      "BitwiseOr"};

constexpr std::array<std::string_view, 16> kBoolean{
    "Greater",    "GreaterEqual",     "Less",  "LessEqual", "Equal", "NotEqual", "LogicalAnd", "LogicalOr",
    "LogicalNot", "ApproximateEqual", "IsNan", "IsFinite",  "IsInf", "All",      "Any",        "LoopCond"};

Shapes same(const OpContext& op) {
  const Shape* shape = op.shape(0);
  return one(shape != nullptr ? std::optional(*shape) : std::nullopt);
}

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
  for (const std::string_view type : kSame) table.emplace(type, &same);
  for (const std::string_view type : kBroadcast) table.emplace(type, &broadcast_all);
  table.emplace("SelectV2", &broadcast_all);
  for (const auto rules : {array_rules(), slicing_rules(), layer_rules()}) {
    for (const RuleRow& row : rules) table.emplace(row.type, row.rule);
  }
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
  if (!a.known() || !b.known() || __builtin_mul_overflow(a.size, b.size, &size)) return {};
  return dim_of(size);
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

Shapes output_shapes(const OpContext& op) {
  static const std::unordered_map<std::string_view, Rule> table = make_table();
  const auto found = table.find(op.type);
  return found != table.end() ? found->second(op) : Shapes();
}

std::optional<DType> output_dtype(const OpContext& op, std::size_t output) {
  if (std::ranges::find(kBoolean, op.type) != kBoolean.end()) return DType::kBool;
  const bool value_index = (op.type == "Merge" || op.type == "RefMerge") && output == 1;
  const bool indices = (op.type == "TopKV2" || op.type == "TopK") && output == 1;
  if (value_index || indices || op.type == "Rank") return DType::kI32;
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
  for (const std::string_view name : {"dtype", "DstT", "type", "out_type", "T", "Tparams", "Tidx", "TI"}) {
    if (const auto type = op.attributes.data_type(name)) return dtype_of(*type);
  }
  return op.inputs.empty() ? std::nullopt : op.inputs.front()->dtype;
}

}  // namespace berth::tensorflow
