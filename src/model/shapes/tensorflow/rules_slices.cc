// SPDX-License-Identifier: Apache-2.0
// Ops that take parts, join them, look them up or reduce them.
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <array>

#include "model/shapes/arrange.h"
#include "model/shapes/dims.h"

namespace berth::tensorflow {
namespace {

Outputs pack(const NodeView& op) {
  const Shape* part = op.shape(0);
  if (part == nullptr || part->size() == kMostAxes) return one(std::nullopt);
  const auto axis = axis_of(op.integer("axis", 0), part->size() + 1);
  if (!axis) return one(std::nullopt);
  return one(with_axis(*part, *axis, Dim{static_cast<std::int64_t>(op.num_inputs())}));
}

std::optional<std::size_t> number_of_parts(const NodeView& op, std::string_view attribute) {
  const auto* number = op.node().find<std::int64_t>(attribute);
  if (number == nullptr || *number < 1 || *number > static_cast<std::int64_t>(kMostOutputs)) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

Outputs unpack(const NodeView& op) {
  const auto parts = number_of_parts(op, "num");
  if (!parts) return {};
  const Shape* input = op.shape(0);
  const auto axis = input != nullptr ? axis_of(op.integer("axis", 0), input->size()) : std::nullopt;
  if (!axis) return Outputs(*parts);
  return Outputs(*parts, without_axis(*input, *axis));
}

Outputs split_evenly(const NodeView& op) {
  const auto parts = number_of_parts(op, "num_split");
  if (!parts) return {};
  const Shape* input = op.shape(1);
  const auto wanted = op.number(0);
  const auto axis = input != nullptr && wanted ? axis_of(*wanted, input->size()) : std::nullopt;
  if (!axis) return Outputs(*parts);
  Shape shape = *input;
  Dim& dim = shape[*axis];
  dim = dim.known() ? known_dim(dim.size / static_cast<std::int64_t>(*parts)) : Dim{};
  return Outputs(*parts, shape);
}

Outputs split_by_sizes(const NodeView& op) {
  const auto parts = number_of_parts(op, "num_split");
  if (!parts) return {};
  const Shape* input = op.shape(0);
  const auto* sizes = op.contents(1);
  const auto wanted = op.number(2);
  const auto axis = input != nullptr && wanted ? axis_of(*wanted, input->size()) : std::nullopt;
  if (!axis) return Outputs(*parts);
  Outputs shapes(*parts, *input);
  Dim rest = (*input)[*axis];  // for the one part whose size is -1
  const bool sizes_known = sizes != nullptr && sizes->size() == *parts;
  for (std::size_t i = 0; i < *parts; ++i) {
    const Dim dim = sizes_known ? known_dim((*sizes)[i]) : Dim{};
    (*shapes[i].shape)[*axis] = dim;
    if (rest.known() && dim.known()) rest = known_dim(rest.size - dim.size);
  }
  for (std::size_t i = 0; sizes_known && i < *parts; ++i) {
    if ((*sizes)[i] == -1 && std::ranges::count(*sizes, -1) == 1) (*shapes[i].shape)[*axis] = rest;
  }
  return shapes;
}

// Inputs from `first` to before `end`, along the axis that is wanted.
Outputs join(const NodeView& op, std::size_t first, std::size_t end, std::optional<std::int64_t> wanted) {
  if (first >= end || op.shape(first) == nullptr) return one(std::nullopt);
  const std::size_t rank = op.shape(first)->size();
  const auto axis = wanted ? axis_of(*wanted, rank) : std::nullopt;
  if (!axis) return one(Shape(rank));
  ShapeList parts;
  for (std::size_t i = first; i < end; ++i) parts.push_back(op.shape(i));
  return one(joined(parts, *axis));
}
Outputs concat(const NodeView& op) { return join(op, 1, op.num_inputs(), op.number(0)); }
Outputs concat_v2(const NodeView& op) {
  if (op.num_inputs() == 0) return one(std::nullopt);
  return join(op, 0, op.num_inputs() - 1, op.number(op.num_inputs() - 1));
}

Outputs look_up(const NodeView& op, std::optional<std::int64_t> wanted) {
  const Shape* table = op.shape(0);
  const Shape* indices = op.shape(1);
  if (table == nullptr || indices == nullptr || !wanted) return one(std::nullopt);
  const auto axis = axis_of(*wanted, table->size());
  const auto batch = axis_of(op.integer("batch_dims", 0), indices->size() + 1);
  if (!axis || !batch) return one(std::nullopt);
  return one(rows_of(*table, *indices, *axis, *batch));
}
Outputs gather(const NodeView& op) { return look_up(op, 0); }
Outputs gather_v2(const NodeView& op) { return look_up(op, op.number(2)); }

Outputs gather_nd(const NodeView& op) {
  const Shape *table = op.shape(0), *indices = op.shape(1);
  if (table == nullptr || indices == nullptr) return one(std::nullopt);
  return one(picked_by_rows(*table, *indices, 0));
}

Outputs reduce(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto* axes = op.contents(1);
  const bool keep = op.is_set("keep_dims");
  if (input == nullptr) return one(std::nullopt);
  if (axes == nullptr) return keep ? one(Shape(input->size())) : one(std::nullopt);
  std::vector<bool> marked(input->size(), false);
  for (const std::int64_t number : *axes) {
    const auto axis = axis_of(number, input->size());
    if (!axis) return one(std::nullopt);
    marked[*axis] = true;
  }
  return one(reduced(*input, marked, keep));
}

Outputs slice(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto* begin = op.contents(1);
  const auto* sizes = op.contents(2);
  if (input == nullptr) return one(std::nullopt);
  Shape shape(input->size());
  for (std::size_t i = 0; sizes != nullptr && sizes->size() == shape.size() && i < shape.size(); ++i) {
    shape[i] = known_dim((*sizes)[i]);
    const bool rest = (*sizes)[i] == -1 && (*input)[i].known() && begin != nullptr && begin->size() == shape.size();
    if (rest && (*begin)[i] >= 0) shape[i] = known_dim((*input)[i].size - (*begin)[i]);
  }
  return one(std::move(shape));
}

bool bit(std::int64_t mask, std::size_t at) { return at < 63 && (mask >> at & 1) != 0; }

Outputs strided_slice(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto *begin = op.contents(1), *end = op.contents(2), *strides = op.contents(3);
  if (input == nullptr || begin == nullptr || end == nullptr || strides == nullptr) return one(std::nullopt);
  if (begin->size() != end->size() || begin->size() != strides->size()) return one(std::nullopt);
  const auto mask = [&](std::string_view name) { return op.integer(name, 0); };
  const std::int64_t begins = mask("begin_mask"), ends = mask("end_mask"), dots = mask("ellipsis_mask"),
                     added = mask("new_axis_mask"), shrunk = mask("shrink_axis_mask");
  std::size_t consumed = 0;  // dimensions that the entries stand for, one each
  for (std::size_t i = 0; i < begin->size(); ++i) consumed += bit(dots, i) || bit(added, i) ? 0 : 1;
  if (consumed > input->size() || begin->size() > kMostAxes) return one(std::nullopt);
  Shape shape;
  std::size_t at = 0;
  for (std::size_t i = 0; i < begin->size(); ++i) {
    if (bit(dots, i)) {
      for (std::size_t n = input->size() - consumed; n > 0 && at < input->size(); --n) shape.push_back((*input)[at++]);
    } else if (bit(added, i)) {
      shape.push_back(Dim{1});
    } else if (at < input->size()) {
      const Dim& dim = (*input)[at++];
      if (bit(shrunk, i)) continue;
      SliceRange range{(*begin)[i], (*end)[i], (*strides)[i], bit(begins, i), bit(ends, i)};
      const bool whole = range.open_begin && range.open_end && range.stride == 1;
      const bool valid = dim.known() && range.stride != 0 && range.stride != INT64_MIN;
      shape.push_back(whole ? dim : valid ? Dim{slice_length(range, dim.size)} : Dim{});
    }
  }
  shape.insert(shape.end(), input->begin() + offset(at), input->end());
  if (shape.size() > kMostAxes) return one(std::nullopt);
  return one(std::move(shape));
}

Outputs arg_reduce(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto wanted = op.number(1);
  const auto axis = input != nullptr && wanted ? axis_of(*wanted, input->size()) : std::nullopt;
  if (!axis) return one(std::nullopt);
  return one(without_axis(*input, *axis));
}

Outputs top_k(const NodeView& op) {
  const Shape* input = op.shape(0);
  if (input == nullptr || input->empty()) return Outputs(2);
  Shape shape = *input;
  shape.back() = known_dim(op.number(1).value_or(op.integer("k", -1)));
  return {shape, shape};
}

constexpr std::array kSlicesRules{
    RuleRow{"Pack", pack},
    RuleRow{"Unpack", unpack},
    RuleRow{"Split", split_evenly},
    RuleRow{"SplitV", split_by_sizes},
    RuleRow{"Concat", concat},
    RuleRow{"ConcatV2", concat_v2},
    RuleRow{"Gather ResourceGather", gather},
    RuleRow{"GatherV2", gather_v2},
    RuleRow{"GatherNd ResourceGatherNd", gather_nd},
    RuleRow{"Sum Mean Max Min Prod All Any EuclideanNorm", reduce},
    RuleRow{"Slice", slice},
    RuleRow{"StridedSlice", strided_slice},
    RuleRow{"ArgMax ArgMin", arg_reduce},
    RuleRow{"TopK TopKV2", top_k},
};

}  // namespace

std::span<const RuleRow> slicing_rules() { return kSlicesRules; }

}  // namespace berth::tensorflow
