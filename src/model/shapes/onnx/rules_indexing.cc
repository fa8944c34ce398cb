// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that pick elements, and of those whose result depends on a shape or a count.
#include "model/shapes/onnx/rules.h"

#include <algorithm>
#include <utility>

#include "model/shapes/arrange.h"
#include "model/shapes/dims.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kWholeAxis = std::int64_t{1} << 30;  // exporters write the largest number of 32 or 64 bits

Dim sliced(const Dim& dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start == 0 && end >= kWholeAxis && step == 1) return dim;
  if (!is_size(dim) || step == 0) return unknown_dim();
  SliceRange range{start, end, step};
  return known_dim(slice_length(range, dim.size));
}

// How many axes are sliced; nothing if that is open.
std::optional<std::size_t> num_slices(const NodeView& node, const Numbers* starts) {
  if (starts != nullptr) return starts->size();
  const Shape* shape = node.shape(1);
  if (shape == nullptr || shape->size() != 1 || !shape->front().known()) return std::nullopt;
  return static_cast<std::size_t>(shape->front().size);
}

Outputs infer_slice(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto *starts = node.numbers("starts", 1), *ends = node.numbers("ends", 2), *axes = node.numbers("axes", 3);
  const auto* steps = node.contents(4);
  const auto slices = num_slices(node, starts);
  if (!slices || *slices > shape->size() || (node.has(3) && axes == nullptr))
    return one(node.dtype(0), all_unknown(shape->size()));
  const bool known =
      starts != nullptr && ends != nullptr && ends->size() == *slices && (!node.has(4) || steps != nullptr);
  Shape result = *shape;
  for (std::size_t i = 0; i < *slices; ++i) {
    const auto axis =
        axis_of(axes != nullptr && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), shape->size());
    if (!axis) return one(node.dtype(0), std::nullopt);
    const std::int64_t step = steps != nullptr && i < steps->size() ? (*steps)[i] : 1;
    result[*axis] = known ? sliced((*shape)[*axis], (*starts)[i], (*ends)[i], step) : unknown_dim();
  }
  return one(node.dtype(0), result);
}

Outputs infer_gather(const NodeView& node) {
  const Shape *data = node.shape(0), *indices = node.shape(1);
  const auto axis = data != nullptr ? axis_of(node.integer("axis", 0), data->size()) : std::nullopt;
  if (!axis || indices == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), rows_of(*data, *indices, *axis));
}

Outputs infer_gather_elements(const NodeView& node) { return one(node.dtype(0), copy_of(node.shape(1))); }

Outputs infer_gather_nd(const NodeView& node) {
  const Shape *data = node.shape(0), *indices = node.shape(1);
  if (data == nullptr || indices == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), picked_by_rows(*data, *indices, node.integer("batch_dims", 0)));
}

// ATen's: table, indices.
Outputs infer_embedding(const NodeView& node) {
  const Shape *table = node.shape(0), *indices = node.shape(1);
  if (table == nullptr || table->size() != 2 || indices == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), rows_of(*table, *indices, 0));
}

// ATen's: gradient, indices, number of rows.
Outputs infer_embedding_backward(const NodeView& node) {
  const Shape* gradient = node.shape(0);
  const auto rows = node.number(2);
  if (gradient == nullptr || gradient->empty()) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), Shape{rows ? known_dim(*rows) : unknown_dim(), gradient->back()});
}

Outputs infer_shape(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(DType::kI64, all_unknown(1));
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  const std::int64_t from = bound(node.integer("start", 0)), to = bound(node.integer("end", rank));
  return one(DType::kI64, Shape{known_dim(std::max<std::int64_t>(to - from, 0))});
}

Outputs infer_size(const NodeView&) { return one(DType::kI64, Shape{}); }

Outputs infer_constant_of_shape(const NodeView& node) {
  const auto* dtype = node.node().find<std::string>("dtype");
  return one(dtype != nullptr ? dtype_from_name(*dtype) : DType::kF32, shape_in(node.partial(0)));
}

Outputs infer_range(const NodeView& node) {
  const auto start = node.number(0), limit = node.number(1), step = node.number(2);
  return one(node.dtype(0), Shape{start && limit && step ? range_length(*start, *limit, *step) : unknown_dim()});
}

Outputs infer_top_k(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(node.integer("axis", -1), shape->size()) : std::nullopt;
  if (!axis) return {{node.dtype(0), std::nullopt}, {DType::kI64, std::nullopt}};
  Shape result = *shape;
  result[*axis] = known_dim(node.number(1).value_or(node.integer("k", -1)));
  return {{node.dtype(0), result}, {DType::kI64, result}};
}

Outputs infer_one_hot(const NodeView& node) {
  const auto axis =
      node.shape(0) != nullptr ? axis_of(node.integer("axis", -1), node.shape(0)->size() + 1) : std::nullopt;
  if (!axis) return one(node.dtype(2), std::nullopt);
  return one(node.dtype(2), with_axis(*node.shape(0), *axis, known_dim(node.number(1).value_or(-1))));
}

// [rank, NODE.1].
Outputs infer_non_zero(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const Dim rank = shape != nullptr ? known_dim(static_cast<std::int64_t>(shape->size())) : unknown_dim();
  const Dim found = open_dim(node, 1);
  return {opening(DType::kI64, {rank, found}, found)};
}

// [NODE.0, 3].
Outputs infer_non_max(const NodeView& node) {
  const Dim found = open_dim(node, 0);
  return {opening(DType::kI64, {found, known_dim(3)}, found)};
}

// Without an axis, of all elements in a row.
Outputs infer_compress(const NodeView& node) {
  const auto* stated = node.node().find<std::int64_t>("axis");
  if (stated == nullptr) {
    const Dim kept = open_dim(node, 0);
    return {opening(node.dtype(0), {kept}, kept)};
  }
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(*stated, shape->size()) : std::nullopt;
  if (!axis) return one(node.dtype(0), std::nullopt);
  const Dim kept = open_dim(node, *axis);
  Shape result = *shape;
  result[*axis] = kept;
  return {opening(node.dtype(0), std::move(result), kept)};
}

// The elements, or slices along an axis, each once; where each is first; which one stands at each place; how often.
Outputs infer_unique(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto* stated = node.node().find<std::int64_t>("axis");
  const auto axis = stated != nullptr ? axis_of(*stated, shape->size()) : std::nullopt;
  if (stated != nullptr && !axis) return one(node.dtype(0), std::nullopt);
  const Dim distinct = open_dim(node, axis.value_or(0));
  Shape values{distinct};
  Dim places = known_dim(num_elements(*shape).value_or(-1));
  if (axis) {
    values = *shape;
    places = std::exchange(values[*axis], distinct);
  }
  const Inferred one_each = opening(DType::kI64, {distinct}, distinct);
  return {opening(node.dtype(0), std::move(values), distinct), one_each, {DType::kI64, Shape{places}}, one_each};
}

// onnxruntime's, of a row: the elements each once, which one stands at each place, how often.
Outputs infer_unique_of_row(const NodeView& node) {
  const Dim distinct = open_dim(node, 0);
  return {opening(node.dtype(0), {distinct}, distinct),
          {DType::kI64, copy_of(node.shape(0))},
          opening(DType::kI64, {distinct}, distinct)};
}

// Table, indices, scales. Two numbers of four bits may share a byte.
Outputs infer_gather_quantized(const NodeView& node) {
  const Shape *data = node.shape(0), *indices = node.shape(1);
  const auto axis = data != nullptr ? axis_of(node.integer("gather_axis", 0), data->size()) : std::nullopt;
  if (!axis || indices == nullptr) return one(node.dtype(2), std::nullopt);
  Shape table = *data;
  const bool is_packed = node.dtype(0) == DType::kU8 && node.integer("bits", 4) == 4;
  if (is_packed) table.back() = product_of(table.back(), known_dim(2));
  return one(node.dtype(2), rows_of(table, *indices, *axis));
}

// Shape, indices, gradient.
Outputs infer_gather_grad(const NodeView& node) { return one(node.dtype(2), shape_in(node.partial(0))); }
// Gradient, shape, ...
Outputs infer_slice_grad(const NodeView& node) { return one(node.dtype(0), shape_in(node.partial(1))); }

// Two lists of axes of unknown length.
Outputs infer_broadcast_axes(const NodeView&) { return Outputs(2, Inferred{DType::kI64, all_unknown(1)}); }

constexpr RuleRow kIndexingRules[] = {
    {"Slice", infer_slice},
    {"Gather", infer_gather},
    {"GatherElements", infer_gather_elements},
    {"GatherND", infer_gather_nd},
    {"aten.embedding", infer_embedding},
    {"aten.embedding_backward", infer_embedding_backward},
    {"Shape", infer_shape},
    {"Size", infer_size},
    {"ConstantOfShape", infer_constant_of_shape},
    {"Range", infer_range},
    {"TopK", infer_top_k},
    {"OneHot", infer_one_hot},
    {"NonZero", infer_non_zero},
    {"NonMaxSuppression", infer_non_max},
    {"Compress", infer_compress},
    {"Unique", infer_unique},
    {"com.microsoft: Unique", infer_unique_of_row},
    {"com.microsoft: GatherBlockQuantized", infer_gather_quantized},
    {"com.microsoft: GatherGrad GatherNDGrad", infer_gather_grad},
    {"com.microsoft: SliceGrad GatherElementsGrad", infer_slice_grad},
    {"com.microsoft: BroadcastGradientArgs", infer_broadcast_axes},
};

}  // namespace

std::span<const RuleRow> indexing_rules() { return kIndexingRules; }

}  // namespace berth
