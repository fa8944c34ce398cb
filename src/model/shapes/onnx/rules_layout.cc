// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that arrange their elements anew: reshaping, joining, splitting, repeating.
#include "model/shapes/onnx/rules.h"

#include <algorithm>

#include "model/shapes/arrange.h"
#include "model/sizes.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

// Reshape: sizes as asked for. A 0 takes over a size of the input; -1 is what is left over, and so is a size that is
// just not known, if it is the only one.
class Reshaping {
 public:
  Reshaping(const Shape* from, const PartialNumbers& wanted, bool zero_copies)
      : from_(from), wanted_(wanted), zero_copies_(zero_copies) {}

  Shape result() {
    for (std::size_t i = 0; i < wanted_.size(); ++i) add(i);
    if (open_.size() == 1) result_[open_.front()] = open_size();
    return std::move(result_);
  }

 private:
  void add(std::size_t i) {
    const auto& size = wanted_[i];
    if (!size || *size < 0) {
      open_.push_back(i);
      result_.push_back(unknown_dim());
    } else if (*size == 0 && zero_copies_) {
      copied_.push_back(i);
      result_.push_back(from_ != nullptr && i < from_->size() ? (*from_)[i] : unknown_dim());
    } else {
      result_.push_back(known_dim(*size));
    }
  }

  // Sizes that were taken over cancel out, known or not.
  [[nodiscard]] Dim open_size() const {
    if (from_ == nullptr) return unknown_dim();
    Shape whole, others;
    for (std::size_t i = 0; i < from_->size(); ++i) {
      if (!is_copied(i)) whole.push_back((*from_)[i]);
    }
    for (std::size_t i = 0; i < result_.size(); ++i) {
      if (!is_copied(i) && i != open_.front()) others.push_back(result_[i]);
    }
    return left_over(whole, others);
  }

  [[nodiscard]] bool is_copied(std::size_t i) const { return std::ranges::find(copied_, i) != copied_.end(); }

  const Shape* from_;
  const PartialNumbers& wanted_;
  bool zero_copies_;
  Shape result_;
  std::vector<std::size_t> open_, copied_;  // axes of the result
};

// How many sizes a shape tensor asks for, where the sizes themselves are not known.
std::optional<std::size_t> rank_asked_for(const Shape* sizes) {
  if (sizes == nullptr || sizes->size() != 1 || !sizes->front().known() || sizes->front().size > kMaxRank)
    return std::nullopt;
  return static_cast<std::size_t>(sizes->front().size);
}

// Length of part i where all are as equal as can be: the last may be shorter.
Dim even_part(const Dim& whole, std::int64_t parts, std::int64_t i) {
  if (!whole.known() || whole.size > kLargestSize) return unknown_dim();
  const std::int64_t length = (whole.size + parts - 1) / parts;
  return known_dim(std::min(length, std::max<std::int64_t>(whole.size - i * length, 0)));
}

// Of [batch, channels, height, width].
Outputs move_blocks(const NodeView& node, bool into_plane) {
  const Shape* shape = node.shape(0);
  const std::int64_t size = node.integer("blocksize", 0);
  if (shape == nullptr || shape->size() != 4 || size <= 0 || size > (1 << 20))
    return one(node.dtype(0), shape != nullptr ? std::optional(all_unknown(shape->size())) : std::nullopt);
  return one(node.dtype(0),
             into_plane ? blocks_into_plane(*shape, 1, 2, size) : blocks_into_channels(*shape, 1, 2, size));
}

// Every `step`-th input from `from` on, along one axis.
Outputs join_inputs(const NodeView& node, std::size_t from, std::size_t step) {
  const Shape* first = node.shape(from);
  const auto axis = first != nullptr ? axis_of(node.integer("axis", 0), first->size()) : std::nullopt;
  if (!axis) return one(node.dtype(from), std::nullopt);
  ShapeList parts;
  for (std::size_t i = from; i < node.num_inputs(); i += step) parts.push_back(node.shape(i));
  return one(node.dtype(from), joined(parts, *axis));
}

Outputs infer_transpose(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  Shape result(shape->rbegin(), shape->rend());
  if (const auto* perm = node.integers("perm"); perm != nullptr && perm->size() == shape->size()) {
    for (std::size_t i = 0; i < perm->size(); ++i) {
      const auto axis = axis_of((*perm)[i], shape->size());
      if (!axis) return one(node.dtype(0), std::nullopt);
      result[i] = (*shape)[*axis];
    }
  }
  return one(node.dtype(0), result);
}

Outputs infer_reshape(const NodeView& node) {
  auto wanted = node.partial(1);
  if (const auto* attribute = node.integers("shape")) wanted.emplace(attribute->begin(), attribute->end());
  if (!wanted) {
    const auto rank = rank_asked_for(node.shape(1));
    if (!rank) return one(node.dtype(0), std::nullopt);
    wanted.emplace(*rank);
  }
  if (wanted->size() > kMostAxes) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), Reshaping(node.shape(0), *wanted, node.integer("allowzero", 0) == 0).result());
}

Outputs infer_flatten(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const std::int64_t given = node.integer("axis", 1), rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t axis = std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  Shape result(2, known_dim(1));
  for (std::int64_t i = 0; i < rank; ++i) {
    Dim& side = result[i < axis ? 0 : 1];
    side = product_of(side, (*shape)[static_cast<std::size_t>(i)]);
  }
  return one(node.dtype(0), result);
}

Outputs infer_squeeze(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto* axes = node.numbers("axes", 1);
  if (shape == nullptr || (axes == nullptr && node.has(1))) return one(node.dtype(0), std::nullopt);
  std::vector<bool> drop(shape->size(), false);
  for (std::size_t i = 0; i < shape->size(); ++i) drop[i] = axes == nullptr && (*shape)[i].size == 1;
  for (std::size_t i = 0; axes != nullptr && i < axes->size(); ++i) {
    if (const auto axis = axis_of((*axes)[i], shape->size())) drop[*axis] = true;
  }
  return one(node.dtype(0), reduced(*shape, drop, false));
}

Outputs infer_unsqueeze(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto* axes = node.numbers("axes", 1);
  if (shape == nullptr || axes == nullptr || axes->size() > kMostAxes) return one(node.dtype(0), std::nullopt);
  const std::size_t rank = shape->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t given : *axes) {
    if (const auto axis = axis_of(given, rank)) is_new[*axis] = true;
  }
  Shape result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i)
    result.push_back(is_new[i] || next >= shape->size() ? known_dim(1) : (*shape)[next++]);
  return one(node.dtype(0), result);
}

Outputs infer_concat(const NodeView& node) { return join_inputs(node, 0, 1); }

// The scale and the zero of the result, then each part with its own.
Outputs infer_quantized_concat(const NodeView& node) { return join_inputs(node, 2, 3); }

// And the length of every part.
Outputs infer_concat_training(const NodeView& node) {
  Outputs outputs = infer_concat(node);
  outputs.push_back({DType::kI64, Shape{known_dim(static_cast<std::int64_t>(node.num_inputs()))}});
  return outputs;
}

Outputs infer_split(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(node.integer("axis", 0), shape->size()) : std::nullopt;
  if (!axis) return one(node.dtype(0), std::nullopt);
  const auto* sizes = node.numbers("split", 1);
  const bool is_open = sizes == nullptr && node.has(1);
  const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(node.num_outputs(), 1));
  Outputs outputs;
  for (std::int64_t i = 0; i < parts; ++i) {
    Shape piece = *shape;
    const bool given = sizes != nullptr && static_cast<std::size_t>(i) < sizes->size();
    piece[*axis] = given     ? known_dim((*sizes)[static_cast<std::size_t>(i)])
                   : is_open ? unknown_dim()
                             : even_part((*shape)[*axis], parts, i);
    outputs.push_back({node.dtype(0), std::move(piece)});
  }
  return outputs;
}

Outputs infer_expand(const NodeView& node) {
  const auto wanted = shape_in(node.partial(1));
  if (!wanted || node.shape(0) == nullptr) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), broadcast(*node.shape(0), *wanted));
}

Outputs infer_tile(const NodeView& node) {
  const auto repeats = shape_in(node.partial(1));
  const Shape* shape = node.shape(0);
  if (!repeats || shape == nullptr || repeats->size() != shape->size()) return one(node.dtype(0), std::nullopt);
  Shape result = *shape;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = product_of(result[i], (*repeats)[i]);
  return one(node.dtype(0), result);
}

Outputs infer_depth_to_space(const NodeView& node) { return move_blocks(node, true); }
Outputs infer_space_to_depth(const NodeView& node) { return move_blocks(node, false); }

constexpr RuleRow kLayoutRules[] = {
    {"Transpose", infer_transpose},
    {"Reshape", infer_reshape},
    {"Flatten", infer_flatten},
    {"Squeeze", infer_squeeze},
    {"Unsqueeze", infer_unsqueeze},
    {"com.microsoft: ExpandDims", infer_unsqueeze},
    {"Concat", infer_concat},
    {"com.microsoft: QLinearConcat", infer_quantized_concat},
    {"com.microsoft: ConcatTraining", infer_concat_training},
    {"Split", infer_split},
    {"com.microsoft: SplitTraining", infer_split},
    {"Expand", infer_expand},
    {"Tile", infer_tile},
    {"DepthToSpace", infer_depth_to_space},
    {"SpaceToDepth", infer_space_to_depth},
};

}  // namespace

std::span<const RuleRow> layout_rules() { return kLayoutRules; }

}  // namespace berth
