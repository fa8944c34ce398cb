// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that cut, put together or address images, and of onnxruntime's that reorder them.
#include "model/shapes/onnx/rules.h"

#include <algorithm>

#include "model/shapes/dims.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

bool states_channels_last(const NodeView& node) { return node.integer("channels_last", 0) != 0; }

Outputs infer_center_crop_pad(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto axes = axes_or_all(node.integers("axes"), shape->size());
  const auto wanted = shape_in(node.partial(1));
  if (!axes || !wanted || wanted->size() != axes->size()) return one(node.dtype(0), all_unknown(shape->size()));
  Shape result = *shape;
  for (std::size_t i = 0; i < axes->size(); ++i) result[(*axes)[i]] = (*wanted)[i];
  return one(node.dtype(0), result);
}

// Columns [batch, channels * elements of a block, blocks], the size of the image, the size of a block.
Outputs infer_col2im(const NodeView& node) {
  const Shape* columns = node.shape(0);
  const auto image = shape_in(node.partial(1)), block = shape_in(node.partial(2));
  if (columns == nullptr || columns->size() != 3 || !image || !block) return one(node.dtype(0), std::nullopt);
  Dim elements = known_dim(1);
  for (const Dim& side : *block) elements = product_of(elements, side);
  Shape result{(*columns)[0], elements.known() ? quotient_of((*columns)[1], elements.size) : unknown_dim()};
  result.insert(result.end(), image->begin(), image->end());
  return one(node.dtype(0), result);
}

// Each region [regions, 5] of [batch, channels, height, width] as a plane of one size.
Outputs infer_max_roi_pool(const NodeView& node) {
  const Shape *planes = node.shape(0), *regions = node.shape(1);
  const auto* pooled = node.integers("pooled_shape");
  if (planes == nullptr || planes->size() < 2 || regions == nullptr || regions->empty() || pooled == nullptr)
    return one(node.dtype(0), std::nullopt);
  Shape result{regions->front(), (*planes)[1]};
  for (const std::int64_t size : *pooled) result.push_back(known_dim(size));
  return one(node.dtype(0), result);
}

// Of [batch, channels, ...], as the second input says it, the places of all pixels: [batch, ..., axes].
Outputs infer_affine_grid(const NodeView& node) {
  auto result = shape_in(node.partial(1));
  if (!result || result->size() < 3) return one(node.dtype(0), std::nullopt);
  const auto axes = static_cast<std::int64_t>(result->size()) - 2;
  result->erase(result->begin() + 1);
  result->push_back(known_dim(axes));
  return one(node.dtype(0), std::move(result));
}

// Between the usual layout and blocks of channels. How many channels a block has is the runtime's choice; the last one
// is not filled up here.
Outputs infer_reorder_input(const NodeView& node) {
  auto shape = copy_of(node.shape(0));
  if (shape && shape->size() >= 2 && states_channels_last(node))
    std::rotate(shape->begin() + 1, shape->end() - 1, shape->end());
  return one(node.dtype(0), std::move(shape));
}

Outputs infer_reorder_output(const NodeView& node) {
  auto shape = copy_of(node.shape(0));
  if (!shape || shape->size() < 2) return one(node.dtype(0), std::nullopt);
  (*shape)[1] = known_dim(node.integer("channels", (*shape)[1].size));
  if (states_channels_last(node)) std::rotate(shape->begin() + 1, shape->begin() + 2, shape->end());
  return one(node.dtype(0), std::move(shape));
}

constexpr RuleRow kImagesRules[] = {
    {"CenterCropPad", infer_center_crop_pad},
    {"Col2Im", infer_col2im},
    {"MaxRoiPool", infer_max_roi_pool},
    {"AffineGrid", infer_affine_grid},
    {"com.microsoft: ReorderInput", infer_reorder_input},
    {"com.microsoft: ReorderOutput", infer_reorder_output},
};

}  // namespace

std::span<const RuleRow> images_rules() { return kImagesRules; }

}  // namespace berth
