// SPDX-License-Identifier: Apache-2.0
#include "model/onnx_rules.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "model/onnx_windows.h"
#include "model/sizes.h"

namespace berth {
namespace {

using Outputs = std::vector<Inferred>;
using Rule = Outputs (*)(const OnnxView&);

const Dim kUnknown{};
constexpr std::int64_t kLargest = std::int64_t{1} << 52;  // no axis is longer; keeps sums and quotients from overflow

Dim dim_of(std::int64_t size) { return size >= 0 && size <= kLargest ? Dim{size, {}} : kUnknown; }

// Unknown if either is, or if it is too long for an axis.
Dim product(const Dim& a, std::int64_t times) {
  std::int64_t size = 0;
  if (!a.known() || times < 0 || __builtin_mul_overflow(a.size, times, &size)) return kUnknown;
  return dim_of(size);
}

Outputs one(std::optional<DType> dtype, std::optional<Shape> shape) { return {{dtype, std::move(shape)}}; }

std::optional<Shape> copy_of(const Shape* shape) { return shape != nullptr ? std::optional(*shape) : std::nullopt; }

Outputs like_first(const OnnxView& node) { return one(node.dtype(0), copy_of(node.shape(0))); }

// Every output like the first input: Dropout's mask, the statistics of training norms come close enough.
Outputs all_like_first(const OnnxView& node) {
  return Outputs(node.num_outputs(), Inferred{node.dtype(0), copy_of(node.shape(0))});
}

Dim broadcast(const Dim& a, const Dim& b) {
  if (a.size == 1) return b;
  if (b.size == 1 || a == b) return a;
  return a.known() ? a : b;  // an unknown one must be 1 or the same
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) result[i + shift] = broadcast(longer[i + shift], shorter[i]);
  return result;
}

std::optional<Shape> broadcast_inputs(const OnnxView& node, std::size_t first = 0) {
  std::optional<Shape> result;
  for (std::size_t i = first; i < node.num_inputs(); ++i) {
    if (node.shape(i) == nullptr) return std::nullopt;
    result = result ? broadcast(*result, *node.shape(i)) : *node.shape(i);
  }
  return result;
}

Outputs elementwise(const OnnxView& node) { return one(node.dtype(0), broadcast_inputs(node)); }
Outputs comparison(const OnnxView& node) { return one(DType::kBool, broadcast_inputs(node)); }
Outputs where(const OnnxView& node) { return one(node.dtype(1), broadcast_inputs(node)); }

std::optional<DType> dtype_named(std::string_view name) { return dtype_from_name(name); }

// The numbers of TensorProto.DataType that casts use.
std::optional<DType> dtype_numbered(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::kF32;
    case 2:
      return DType::kU8;
    case 3:
      return DType::kI8;
    case 5:
      return DType::kI16;
    case 6:
      return DType::kI32;
    case 7:
      return DType::kI64;
    case 9:
      return DType::kBool;
    case 10:
      return DType::kF16;
    case 11:
      return DType::kF64;
    case 16:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

Outputs cast(const OnnxView& node) { return one(dtype_numbered(node.node().integer("to", 0)), copy_of(node.shape(0))); }

std::optional<Shape> product_shape(Shape a, Shape b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), Dim{1, {}});
  if (column) b.push_back(Dim{1, {}});
  const Dim rows = a[a.size() - 2], columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape result = broadcast(a, b);
  if (!row) result.push_back(rows);
  if (!column) result.push_back(columns);
  return result;
}

Outputs matmul(const OnnxView& node) {
  if (node.shape(0) == nullptr || node.shape(1) == nullptr) return one(node.dtype(0), std::nullopt);
  Shape a = *node.shape(0), b = *node.shape(1);
  if (node.node().integer("transA", 0) != 0 && a.size() >= 2) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (node.node().integer("transB", 0) != 0 && b.size() >= 2) std::swap(b[b.size() - 1], b[b.size() - 2]);
  return one(node.dtype(0), product_shape(std::move(a), std::move(b)));
}

Outputs transpose(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  Shape result(shape->rbegin(), shape->rend());
  if (const auto* perm = node.node().find<std::vector<std::int64_t>>("perm");
      perm != nullptr && perm->size() == shape->size()) {
    for (std::size_t i = 0; i < perm->size(); ++i) {
      const auto axis = axis_of((*perm)[i], shape->size());
      if (!axis) return one(node.dtype(0), std::nullopt);
      result[i] = (*shape)[*axis];
    }
  }
  return one(node.dtype(0), result);
}

Outputs reshape(const OnnxView& node) {
  const auto* wanted = node.numbers("shape", 1);
  const Shape* from = node.shape(0);
  if (wanted == nullptr) {
    // Not the sizes, but how many there are.
    const Shape* rank = node.shape(1);
    if (rank == nullptr || rank->size() != 1 || !rank->front().known() || rank->front().size > 32)
      return one(node.dtype(0), std::nullopt);
    return one(node.dtype(0), Shape(static_cast<std::size_t>(rank->front().size), kUnknown));
  }
  const bool zero_copies = node.node().integer("allowzero", 0) == 0;
  Shape result;
  std::optional<std::size_t> open;
  Dim known{1, {}};
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const std::int64_t size = (*wanted)[i];
    if (size == -1) {
      open = i;
      result.push_back(kUnknown);
    } else if (size == 0 && zero_copies) {
      result.push_back(from != nullptr && i < from->size() ? (*from)[i] : kUnknown);
    } else {
      result.push_back({size, {}});
    }
    if (size != -1) known = product(known, result.back().size);
  }
  const auto all = from != nullptr ? num_elements(*from) : std::nullopt;
  if (open && all && known.size > 0) result[*open].size = *all / known.size;
  return one(node.dtype(0), result);
}

Outputs flatten(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const std::int64_t given = node.node().integer("axis", 1), rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t axis = std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  const auto left = num_elements(Shape(shape->begin(), shape->begin() + axis));
  const auto right = num_elements(Shape(shape->begin() + axis, shape->end()));
  return one(node.dtype(0), Shape{{left.value_or(-1), {}}, {right.value_or(-1), {}}});
}

Outputs squeeze(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto* axes = node.numbers("axes", 1);
  std::vector<bool> drop(shape->size(), false);
  for (std::size_t i = 0; i < shape->size(); ++i) drop[i] = axes == nullptr && (*shape)[i].size == 1;
  for (std::size_t i = 0; axes != nullptr && i < axes->size(); ++i) {
    if (const auto axis = axis_of((*axes)[i], shape->size())) drop[*axis] = true;
  }
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!drop[i]) result.push_back((*shape)[i]);
  }
  return one(node.dtype(0), result);
}

Outputs unsqueeze(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  const auto* axes = node.numbers("axes", 1);
  if (shape == nullptr || axes == nullptr || axes->size() > 32) return one(node.dtype(0), std::nullopt);
  const std::size_t rank = shape->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t given : *axes) {
    if (const auto axis = axis_of(given, rank)) is_new[*axis] = true;
  }
  Shape result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (is_new[i] || next >= shape->size()) {
      result.push_back({1, {}});
    } else {
      result.push_back((*shape)[next++]);
    }
  }
  return one(node.dtype(0), result);
}

Outputs concat(const OnnxView& node) {
  const Shape* first = node.shape(0);
  if (first == nullptr) return one(node.dtype(0), std::nullopt);
  const auto axis = axis_of(node.node().integer("axis", 0), first->size());
  if (!axis) return one(node.dtype(0), std::nullopt);
  Shape result = *first;
  Dim sum{0, {}};
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    const Shape* shape = node.shape(i);
    const Dim part = shape != nullptr && shape->size() == first->size() ? dim_of((*shape)[*axis].size) : kUnknown;
    sum = sum.known() && part.known() ? dim_of(sum.size + part.size) : kUnknown;
  }
  result[*axis] = sum;
  return one(node.dtype(0), result);
}

Outputs split(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto axis = axis_of(node.node().integer("axis", 0), shape->size());
  if (!axis) return one(node.dtype(0), std::nullopt);
  const auto* sizes = node.numbers("split", 1);
  const std::int64_t parts = static_cast<std::int64_t>(std::max<std::size_t>(node.num_outputs(), 1)),
                     whole = dim_of((*shape)[*axis].size).size;
  Outputs outputs;
  for (std::int64_t i = 0; i < parts; ++i) {
    Shape piece = *shape;
    const std::int64_t even = whole < 0
                                  ? -1
                                  : std::min((whole + parts - 1) / parts,
                                             std::max<std::int64_t>(whole - i * ((whole + parts - 1) / parts), 0));
    const bool given = sizes != nullptr && static_cast<std::size_t>(i) < sizes->size();
    piece[*axis] = {given ? (*sizes)[static_cast<std::size_t>(i)] : even, {}};
    outputs.push_back({node.dtype(0), piece});
  }
  return outputs;
}

std::int64_t slice_length(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size < 0 || step == 0 || step == std::numeric_limits<std::int64_t>::min()) return -1;
  const auto bound = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  if (step > 0) {
    const std::int64_t from = bound(start, 0, size), to = bound(end, 0, size);
    return to > from ? (to - from - 1) / step + 1 : 0;
  }
  const std::int64_t from = bound(start, -1, size - 1), to = end < -size ? -1 : bound(end, -1, size - 1);
  return from > to ? (from - to - 1) / -step + 1 : 0;
}

Outputs slice(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto *starts = node.numbers("starts", 1), *ends = node.numbers("ends", 2), *axes = node.numbers("axes", 3);
  const auto* steps = node.contents(4);
  Shape result = *shape;
  if (starts == nullptr || ends == nullptr || starts->size() != ends->size() || (node.has(3) && axes == nullptr) ||
      (node.has(4) && steps == nullptr))
    return one(node.dtype(0), Shape(shape->size(), kUnknown));
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis =
        axis_of(axes != nullptr && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), shape->size());
    if (!axis) return one(node.dtype(0), std::nullopt);
    const std::int64_t step = steps != nullptr && i < steps->size() ? (*steps)[i] : 1;
    result[*axis] = {slice_length((*shape)[*axis].size, (*starts)[i], (*ends)[i], step), {}};
  }
  return one(node.dtype(0), result);
}

Outputs gather(const OnnxView& node) {
  const Shape *data = node.shape(0), *indices = node.shape(1);
  if (data == nullptr || indices == nullptr) return one(node.dtype(0), std::nullopt);
  const auto axis = axis_of(node.node().integer("axis", 0), data->size());
  if (!axis) return one(node.dtype(0), std::nullopt);
  Shape result(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(*axis));
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data->end());
  return one(node.dtype(0), result);
}

Outputs like_indices(const OnnxView& node) { return one(node.dtype(0), copy_of(node.shape(1))); }

Outputs shape_op(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(DType::kI64, Shape{kUnknown});
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  const std::int64_t from = bound(node.node().integer("start", 0)), to = bound(node.node().integer("end", rank));
  return one(DType::kI64, shape_of({std::max<std::int64_t>(to - from, 0)}));
}

std::optional<Shape> shape_in(const std::vector<std::int64_t>* sizes) {
  if (sizes == nullptr || sizes->size() > 32) return std::nullopt;
  Shape shape;
  for (const std::int64_t size : *sizes) shape.push_back({std::max<std::int64_t>(size, -1), {}});
  return shape;
}

Outputs constant_of_shape(const OnnxView& node) {
  const auto* dtype = node.node().find<std::string>("dtype");
  return one(dtype != nullptr ? dtype_named(*dtype) : DType::kF32, shape_in(node.contents(0)));
}

Outputs expand(const OnnxView& node) {
  const auto wanted = shape_in(node.contents(1));
  if (!wanted || node.shape(0) == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), broadcast(*node.shape(0), *wanted));
}

Outputs tile(const OnnxView& node) {
  const auto* repeats = node.contents(1);
  if (repeats == nullptr || node.shape(0) == nullptr || repeats->size() != node.shape(0)->size())
    return one(node.dtype(0), std::nullopt);
  Shape result = *node.shape(0);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = product(result[i], (*repeats)[i]);
  return one(node.dtype(0), result);
}

Outputs reduce(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto* axes = node.numbers("axes", 1);
  if (axes == nullptr && node.has(1)) return one(node.dtype(0), std::nullopt);
  const bool keep = node.node().integer("keepdims", 1) != 0;
  const bool none_means_none = node.node().integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> reduced(shape->size(), (axes == nullptr || axes->empty()) && !none_means_none);
  for (std::size_t i = 0; axes != nullptr && i < axes->size(); ++i) {
    if (const auto axis = axis_of((*axes)[i], shape->size())) reduced[*axis] = true;
  }
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!reduced[i]) result.push_back((*shape)[i]);
    if (reduced[i] && keep) result.push_back({1, {}});
  }
  return one(node.dtype(0), result);
}

Outputs arg_reduce(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(node.node().integer("axis", 0), shape->size()) : std::nullopt;
  if (!axis) return one(DType::kI64, std::nullopt);
  Shape result = *shape;
  if (node.node().integer("keepdims", 1) != 0) {
    result[*axis] = {1, {}};
  } else {
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return one(DType::kI64, result);
}

// Output like the input; then statistics of the stretch that is normalised.
Outputs layer_norm(const OnnxView& node) {
  Outputs outputs = like_first(node);
  if (node.shape(0) == nullptr) return outputs;
  Shape rows = *node.shape(0);
  const auto axis = axis_of(node.node().integer("axis", -1), rows.size());
  for (std::size_t i = axis.value_or(rows.size()); i < rows.size(); ++i) rows[i] = {1, {}};
  while (outputs.size() < node.num_outputs()) outputs.push_back({DType::kF32, rows});
  return outputs;
}

Outputs batch_norm(const OnnxView& node) {
  Outputs outputs = like_first(node);
  while (outputs.size() < node.num_outputs()) outputs.push_back({node.dtype(1), copy_of(node.shape(1))});
  return outputs;
}

Outputs range(const OnnxView& node) {
  const auto *start = node.contents(0), *limit = node.contents(1), *step = node.contents(2);
  if (start == nullptr || limit == nullptr || step == nullptr || start->size() != 1 || limit->size() != 1 ||
      step->size() != 1 || step->front() == 0)
    return one(node.dtype(0), Shape{kUnknown});
  const auto is_small = [](std::int64_t number) { return number >= -kLargest && number <= kLargest; };
  if (!is_small(start->front()) || !is_small(limit->front()) || !is_small(step->front()))
    return one(node.dtype(0), Shape{kUnknown});
  const std::int64_t span = limit->front() - start->front(), by = step->front();
  return one(node.dtype(0), shape_of({std::max<std::int64_t>((span + by + (by > 0 ? -1 : 1)) / by, 0)}));
}

Outputs top_k(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(node.node().integer("axis", -1), shape->size()) : std::nullopt;
  if (!axis) return {{node.dtype(0), std::nullopt}, {DType::kI64, std::nullopt}};
  Shape result = *shape;
  const auto* k = node.contents(1);
  result[*axis] = {k != nullptr && k->size() == 1 ? k->front() : node.node().integer("k", -1), {}};
  return {{node.dtype(0), result}, {DType::kI64, result}};
}

Outputs one_hot(const OnnxView& node) {
  const auto* depth = node.contents(1);
  if (node.shape(0) == nullptr) return one(node.dtype(2), std::nullopt);
  Shape result = *node.shape(0);
  const auto axis = axis_of(node.node().integer("axis", -1), result.size() + 1);
  if (!axis) return one(node.dtype(2), std::nullopt);
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(*axis),
                Dim{depth != nullptr && depth->size() == 1 ? depth->front() : -1, {}});
  return one(node.dtype(2), result);
}

struct TypeRule {
  std::string_view types;
  Rule rule;
};

constexpr TypeRule kRules[] = {
    {"Relu Sigmoid Tanh Gelu Erf Exp Log Sqrt Reciprocal Neg Abs Sign Floor Ceil Round Softplus Softsign Elu Selu "
     "LeakyRelu "
     "PRelu Celu HardSigmoid HardSwish Mish ThresholdedRelu Clip Sin Cos Tan Asin Acos Atan Sinh Cosh Identity Softmax "
     "LogSoftmax Hardmax LRN LpNormalization InstanceNormalization GroupNormalization MeanVarianceNormalization "
     "CumSum ScatterND ScatterElements Scatter Trilu Bernoulli ReverseSequence RotaryEmbedding Swish "
     "com.microsoft.FastGelu com.microsoft.BiasGelu com.microsoft.QuickGelu com.microsoft.BiasFastGeluGrad_dX "
     "com.microsoft.SoftmaxGrad_13 com.microsoft.FusedGelu",
     like_first},
    {"Dropout com.microsoft.BiasDropout", all_like_first},
    {"Add Sub Mul Div Pow Mod Max Min Mean Sum BitwiseAnd BitwiseOr BitwiseXor", elementwise},
    {"Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf", comparison},
    {"Where", where},
    {"Cast", cast},
    {"MatMul Gemm FusedMatMul com.microsoft.FusedMatMul com.microsoft.TransposeMatMul", matmul},
    {"Transpose", transpose},
    {"Reshape", reshape},
    {"Flatten", flatten},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Concat com.microsoft.ConcatTraining", concat},
    {"Split com.microsoft.SplitTraining", split},
    {"Slice", slice},
    {"Gather", gather},
    {"GatherElements", like_indices},
    {"Shape", shape_op},
    {"ConstantOfShape", constant_of_shape},
    {"Expand", expand},
    {"Tile", tile},
    {"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
     "ReduceSumSquare",
     reduce},
    {"ArgMax ArgMin", arg_reduce},
    {"LayerNormalization SimplifiedLayerNormalization RMSNormalization com.microsoft.SkipLayerNormalization",
     layer_norm},
    {"BatchNormalization", batch_norm},
    {"Range", range},
    {"TopK", top_k},
    {"OneHot", one_hot},
    {"Conv ConvInteger com.microsoft.FusedConv", infer_conv},
    {"ConvTranspose", infer_conv_transpose},
    {"MaxPool AveragePool LpPool", infer_pool},
    {"GlobalAveragePool GlobalMaxPool GlobalLpPool", infer_global_pool},
    {"Pad", infer_pad},
    {"Resize Upsample", infer_resize},
    {"LSTM GRU RNN", infer_recurrent},
};

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Rule> by_type;
    for (const TypeRule& row : kRules) {
      for (std::string_view rest = row.types; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        by_type.emplace(rest.substr(0, end), row.rule);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return by_type;
  }();
  return table;
}

}  // namespace

std::vector<Inferred> infer_outputs(const OnnxView& node) {
  const auto found = rules().find(node.node().type);
  return found != rules().end() ? found->second(node) : std::vector<Inferred>();
}

}  // namespace berth
