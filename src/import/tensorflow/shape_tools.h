// SPDX-License-Identifier: Apache-2.0
// What the shape rules share, and where they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "import/tensorflow/shape_rules.h"

namespace berth::tensorflow {

using Rule = Shapes (*)(const OpContext&);
struct RuleRow {
  std::string_view type;
  Rule rule;
};
std::span<const RuleRow> array_rules();      // shape_arrays.cc: ops that move elements around
std::span<const RuleRow> slicing_rules();    // shape_slices.cc: parts, joins and reductions
std::span<const RuleRow> layer_rules();      // shape_layers.cc: matrix products, convolutions, normalisations, losses
std::span<const RuleRow> cell_rules();       // shape_cells.cc: recurrent cells and whole recurrent layers
std::span<const RuleRow> image_rules();      // shape_images.cc: resizing, and blocks of pixels
std::span<const RuleRow> selection_rules();  // shape_selections.cc: how many they give depends on the data
std::span<const RuleRow> list_rules();       // shape_lists.cc: lists and arrays of tensors

inline constexpr std::size_t kMostOutputs = 65'535;

Dim product(const Dim& a, const Dim& b);  // unknown if either is, unless the other is 1
Shape broadcast(const Shape& a, const Shape& b);
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);  // from the end if negative; none if outside
Shape shape_from(std::span<const std::int64_t> sizes);                    // negative ones are unknown
// The shape that an input states as a list of sizes; of an unknown list the rank, if that is known. A single number in
// place of a list says nothing, as TensorFlow has it.
std::optional<Shape> stated_in(const OpContext& op, std::size_t input);
// The first shape, with dimensions that only the second knows.
std::optional<Shape> completed(std::optional<Shape> stated, const std::optional<Shape>& inferred);
// `first`, then the dimensions of `shape` from number `from` on. None if `shape` is not known or has fewer.
std::optional<Shape> with_first(const Dim& first, const Shape* shape, std::size_t from);

// The axes over which a gradient is summed up for an input (0 or 1) that was broadcast; the inputs are shapes.
std::optional<std::vector<std::int64_t>> broadcast_gradient_axes(const OpContext& op, std::size_t input);

inline std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }
inline Shapes one(std::optional<Shape> shape) { return {std::move(shape)}; }
inline std::optional<Shape> copy_of(const Shape* shape) {
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

// Rules that several tables name.
inline Shapes second(const OpContext& op) { return one(copy_of(op.shape(1))); }
inline Shapes scalar(const OpContext&) { return one(Shape()); }

// Number of steps from begin to end in a dimension, as StridedSlice counts; `begin` is moved to the first. The masks
// leave begin or end open.
struct SliceRange {
  std::int64_t begin = 0, end = 0, stride = 1;
  bool open_begin = false, open_end = false;
};
std::int64_t slice_length(SliceRange& range, std::int64_t size);

}  // namespace berth::tensorflow
