// SPDX-License-Identifier: Apache-2.0
// What the shape rules share, and where they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/tensorflow/shape_rules.h"

namespace berth::tensorflow {

using Rule = Shapes (*)(const OpContext&);
struct RuleRow {
  std::string_view type;
  Rule rule;
};
std::span<const RuleRow> array_rules();    // shape_arrays.cc: ops that move elements around
std::span<const RuleRow> slicing_rules();  // shape_slices.cc: parts, joins and reductions
std::span<const RuleRow> layer_rules();    // shape_layers.cc: matrix products, convolutions, normalisations, losses

inline constexpr std::size_t kMostOutputs = 65'535;

Dim product(const Dim& a, const Dim& b);  // unknown if either is, unless the other is 1
Shape broadcast(const Shape& a, const Shape& b);
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);  // from the end if negative; none if outside
Shape shape_from(std::span<const std::int64_t> sizes);                    // negative ones are unknown
inline Shapes one(std::optional<Shape> shape) { return {std::move(shape)}; }

// Number of steps from begin to end in a dimension, as StridedSlice counts; `begin` is moved to the first. The masks
// leave begin or end open.
struct SliceRange {
  std::int64_t begin = 0, end = 0, stride = 1;
  bool open_begin = false, open_end = false;
};
std::int64_t slice_length(SliceRange& range, std::int64_t size);

}  // namespace berth::tensorflow
