// SPDX-License-Identifier: Apache-2.0
// Images in other sizes, and blocks of pixels that become images or channels of their own.
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <array>

#include "model/shapes/arrange.h"

namespace berth::tensorflow {
namespace {

constexpr std::size_t kImageRank = 4;  // number of images, height, width, channels

bool are_images(const Shape* shape) { return shape != nullptr && shape->size() == kImageRank; }

// Height and width as an input states them.
Outputs resized(const Dim& count, const NodeView& op, std::size_t sizes) {
  const auto* wanted = op.contents(sizes);
  const bool known = wanted != nullptr && wanted->size() == 2;
  const Dim height = known ? known_dim((*wanted)[0]) : Dim{}, width = known ? known_dim((*wanted)[1]) : Dim{};
  return one(Shape{count, height, width, op.shape(0)->back()});
}

Outputs resize(const NodeView& op) {
  if (!are_images(op.shape(0))) return one(std::nullopt);
  return resized(op.shape(0)->front(), op, 1);
}

Outputs crop_and_resize(const NodeView& op) {
  const Shape* boxes = op.shape(1);
  if (!are_images(op.shape(0))) return one(std::nullopt);
  return resized(boxes != nullptr && !boxes->empty() ? boxes->front() : Dim{}, op, 3);
}

Outputs like_resized(const NodeView& op) { return one(copy_of(op.shape(1))); }

// Blocks along the dimensions from 1 on, and what is added (or cut off) at both ends of each.
struct Blocks {
  std::vector<std::int64_t> sizes, margins;
};

std::optional<Blocks> stated_blocks(const NodeView& op) {
  const auto *sizes = op.contents(1), *margins = op.contents(2);
  if (sizes == nullptr || margins == nullptr) return std::nullopt;
  return Blocks{*sizes, *margins};
}

// The older ops: the same block in both directions of an image.
std::optional<Blocks> square_blocks(const NodeView& op) {
  const auto* size = op.node().find<std::int64_t>("block_size");
  const auto* margins = op.contents(1);
  if (size == nullptr || margins == nullptr) return std::nullopt;
  return Blocks{{*size, *size}, *margins};
}

bool fits(const std::optional<Blocks>& blocks, const Shape* input) {
  if (!blocks || input == nullptr || blocks->sizes.size() >= input->size()) return false;
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= kLargestSize; };
  const auto is_margin = [](std::int64_t size) { return size >= 0 && size <= kLargestSize; };
  return blocks->margins.size() == 2 * blocks->sizes.size() && std::ranges::all_of(blocks->sizes, is_size) &&
         std::ranges::all_of(blocks->margins, is_margin);
}

Dim moved(const Dim& dim, std::int64_t by) { return dim.known() ? known_dim(dim.size + by) : Dim{}; }

Outputs to_batch(const Shape* input, const std::optional<Blocks>& blocks) {
  if (!fits(blocks, input)) return one(input != nullptr ? std::optional(Shape(input->size())) : std::nullopt);
  Shape shape = *input;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const std::int64_t size = blocks->sizes[i];
    shape[0] = product_of(shape[0], known_dim(size));
    shape[i + 1] = quotient_of(moved(shape[i + 1], blocks->margins[2 * i] + blocks->margins[2 * i + 1]), size);
  }
  return one(std::move(shape));
}

Outputs from_batch(const Shape* input, const std::optional<Blocks>& blocks) {
  if (!fits(blocks, input)) return one(input != nullptr ? std::optional(Shape(input->size())) : std::nullopt);
  Shape shape = *input;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const std::int64_t size = blocks->sizes[i];
    shape[0] = quotient_of(shape[0], size);
    shape[i + 1] =
        moved(product_of(shape[i + 1], known_dim(size)), -blocks->margins[2 * i] - blocks->margins[2 * i + 1]);
  }
  return one(std::move(shape));
}

Outputs space_to_batch_nd(const NodeView& op) { return to_batch(op.shape(0), stated_blocks(op)); }
Outputs batch_to_space_nd(const NodeView& op) { return from_batch(op.shape(0), stated_blocks(op)); }
Outputs space_to_batch(const NodeView& op) { return to_batch(op.shape(0), square_blocks(op)); }
Outputs batch_to_space(const NodeView& op) { return from_batch(op.shape(0), square_blocks(op)); }

// Between channels and blocks of pixels; layouts with vectors of channels (NCHW_VECT_C) have a fifth dimension.
Outputs regrouped(const NodeView& op, bool to_depth) {
  const auto* size = op.node().find<std::int64_t>("block_size");
  if (!are_images(op.shape(0))) return one(std::nullopt);
  if (size == nullptr || *size < 1 || *size > 1'000'000) return one(Shape(kImageRank));
  const bool channels_first = has_channels_first(op);
  const std::size_t channel = channels_first ? 1 : 3, plane = channels_first ? 2 : 1;
  return one(to_depth ? blocks_into_channels(*op.shape(0), channel, plane, *size)
                      : blocks_into_plane(*op.shape(0), channel, plane, *size));
}
Outputs space_to_depth(const NodeView& op) { return regrouped(op, true); }
Outputs depth_to_space(const NodeView& op) { return regrouped(op, false); }

constexpr std::array kImagesRules{
    RuleRow{"ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea ResizeNearestNeighborGrad", resize},
    RuleRow{"ResizeBilinearGrad", like_resized},
    RuleRow{"CropAndResize", crop_and_resize},
    RuleRow{"SpaceToBatchND", space_to_batch_nd},
    RuleRow{"BatchToSpaceND", batch_to_space_nd},
    RuleRow{"SpaceToBatch", space_to_batch},
    RuleRow{"BatchToSpace", batch_to_space},
    RuleRow{"SpaceToDepth", space_to_depth},
    RuleRow{"DepthToSpace", depth_to_space},
};

}  // namespace

std::span<const RuleRow> image_rules() { return kImagesRules; }

}  // namespace berth::tensorflow
