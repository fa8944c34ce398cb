// SPDX-License-Identifier: Apache-2.0
// Images in other sizes, and blocks of pixels that become images or channels of their own.
#include <algorithm>
#include <array>

#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

constexpr std::size_t kImageRank = 4;  // number of images, height, width, channels

bool are_images(const Shape* shape) { return shape != nullptr && shape->size() == kImageRank; }

// Height and width as an input states them.
Shapes resized(const Dim& count, const OpContext& op, std::size_t sizes) {
  const auto* wanted = op.contents(sizes);
  const bool known = wanted != nullptr && wanted->size() == 2;
  const Dim height = known ? dim_of((*wanted)[0]) : Dim{}, width = known ? dim_of((*wanted)[1]) : Dim{};
  return one(Shape{count, height, width, op.shape(0)->back()});
}

Shapes resize(const OpContext& op) {
  if (!are_images(op.shape(0))) return one(std::nullopt);
  return resized(op.shape(0)->front(), op, 1);
}

Shapes crop_and_resize(const OpContext& op) {
  const Shape* boxes = op.shape(1);
  if (!are_images(op.shape(0))) return one(std::nullopt);
  return resized(boxes != nullptr && !boxes->empty() ? boxes->front() : Dim{}, op, 3);
}

Dim divided(const Dim& dim, std::int64_t by) {
  return dim.known() && by > 0 && dim.size % by == 0 ? dim_of(dim.size / by) : Dim{};
}

// Blocks along the dimensions from 1 on, and what is added (or cut off) at both ends of each.
struct Blocks {
  std::vector<std::int64_t> sizes, margins;
};

std::optional<Blocks> stated_blocks(const OpContext& op) {
  const auto *sizes = op.contents(1), *margins = op.contents(2);
  if (sizes == nullptr || margins == nullptr) return std::nullopt;
  return Blocks{*sizes, *margins};
}

// The older ops: the same block in both directions of an image.
std::optional<Blocks> square_blocks(const OpContext& op) {
  const auto size = op.attributes.integer("block_size");
  const auto* margins = op.contents(1);
  if (!size || margins == nullptr) return std::nullopt;
  return Blocks{{*size, *size}, *margins};
}

bool fits(const std::optional<Blocks>& blocks, const Shape* input) {
  if (!blocks || input == nullptr || blocks->sizes.size() >= input->size()) return false;
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= kMaxDimSize; };
  const auto is_margin = [](std::int64_t size) { return size >= 0 && size <= kMaxDimSize; };
  return blocks->margins.size() == 2 * blocks->sizes.size() && std::ranges::all_of(blocks->sizes, is_size) &&
         std::ranges::all_of(blocks->margins, is_margin);
}

Dim moved(const Dim& dim, std::int64_t by) { return dim.known() ? dim_of(dim.size + by) : Dim{}; }

Shapes to_batch(const Shape* input, const std::optional<Blocks>& blocks) {
  if (!fits(blocks, input)) return one(input != nullptr ? std::optional(Shape(input->size())) : std::nullopt);
  Shape shape = *input;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const std::int64_t size = blocks->sizes[i];
    shape[0] = product(shape[0], dim_of(size));
    shape[i + 1] = divided(moved(shape[i + 1], blocks->margins[2 * i] + blocks->margins[2 * i + 1]), size);
  }
  return one(std::move(shape));
}

Shapes from_batch(const Shape* input, const std::optional<Blocks>& blocks) {
  if (!fits(blocks, input)) return one(input != nullptr ? std::optional(Shape(input->size())) : std::nullopt);
  Shape shape = *input;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const std::int64_t size = blocks->sizes[i];
    shape[0] = divided(shape[0], size);
    shape[i + 1] = moved(product(shape[i + 1], dim_of(size)), -blocks->margins[2 * i] - blocks->margins[2 * i + 1]);
  }
  return one(std::move(shape));
}

Shapes space_to_batch_nd(const OpContext& op) { return to_batch(op.shape(0), stated_blocks(op)); }
Shapes batch_to_space_nd(const OpContext& op) { return from_batch(op.shape(0), stated_blocks(op)); }
Shapes space_to_batch(const OpContext& op) { return to_batch(op.shape(0), square_blocks(op)); }
Shapes batch_to_space(const OpContext& op) { return from_batch(op.shape(0), square_blocks(op)); }

// Between channels and blocks of pixels; layouts with vectors of channels (NCHW_VECT_C) have a fifth dimension.
Shapes regrouped(const OpContext& op, bool to_depth) {
  const auto size = op.attributes.integer("block_size");
  if (!are_images(op.shape(0))) return one(std::nullopt);
  if (!size || *size < 1 || *size > 1'000'000) return one(Shape(kImageRank));
  Shape shape = *op.shape(0);
  const bool channels_first = op.attributes.string("data_format").starts_with("NC");
  const std::size_t channel = channels_first ? 1 : 3, height = channels_first ? 2 : 1;
  const std::int64_t area = *size * *size;
  shape[channel] = to_depth ? product(shape[channel], dim_of(area)) : divided(shape[channel], area);
  for (std::size_t i = height; i < height + 2; ++i) {
    shape[i] = to_depth ? divided(shape[i], *size) : product(shape[i], dim_of(*size));
  }
  return one(std::move(shape));
}
Shapes space_to_depth(const OpContext& op) { return regrouped(op, true); }
Shapes depth_to_space(const OpContext& op) { return regrouped(op, false); }

constexpr std::array kImageRules{RuleRow{"ResizeBilinear", resize},
                                 RuleRow{"ResizeNearestNeighbor", resize},
                                 RuleRow{"ResizeBicubic", resize},
                                 RuleRow{"ResizeArea", resize},
                                 RuleRow{"ResizeNearestNeighborGrad", resize},
                                 RuleRow{"ResizeBilinearGrad", second},
                                 RuleRow{"CropAndResize", crop_and_resize},
                                 RuleRow{"SpaceToBatchND", space_to_batch_nd},
                                 RuleRow{"BatchToSpaceND", batch_to_space_nd},
                                 RuleRow{"SpaceToBatch", space_to_batch},
                                 RuleRow{"BatchToSpace", batch_to_space},
                                 RuleRow{"SpaceToDepth", space_to_depth},
                                 RuleRow{"DepthToSpace", depth_to_space}};

}  // namespace

std::span<const RuleRow> image_rules() { return kImageRules; }

}  // namespace berth::tensorflow
