// SPDX-License-Identifier: Apache-2.0
// What the rules of all dialects share: arithmetic on sizes that may be unknown, broadcasting, and slices of an
// axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "model/model.h"
#include "model/shapes/rules.h"
#include "model/sizes.h"

namespace berth {

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;  // beyond any tensor, far from overflow

inline constexpr std::size_t kMostAxes = kMaxRank;

inline Dim known_dim(std::int64_t size) {
  return {size <= kLargestSize ? std::max<std::int64_t>(size, -1) : kTooLarge, {}};
}
inline Dim unknown_dim() { return {}; }
inline bool is_size(const Dim& dim) { return dim.known() && dim.size <= kLargestSize; }

// A size that only a run can tell, named after the node and an axis of its first output, so that the user can give it.
// Without a name if that would be too long.
Dim open_dim(const NodeView& node, std::size_t axis);
// An output with such a size.
inline Inferred opening(std::optional<DType> dtype, Shape shape, const Dim& open) {
  return {dtype, std::move(shape), open.symbol};
}

// Axis counted from the front; nothing if it is out of range.
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);

// Unknown if one of them is.
Dim sum_of(const Dim& a, const Dim& b);
Dim product_of(const Dim& a, const Dim& b);
Dim quotient_of(const Dim& a, std::int64_t by);  // also where it does not come out even

inline std::optional<Shape> copy_of(const Shape* shape) {
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

inline Shape all_unknown(std::size_t rank) { return Shape(rank, unknown_dim()); }

// Axes that a list of sizes or paddings is about, from the front; all of them if the file does not say.
std::optional<std::vector<std::size_t>> axes_or_all(const std::vector<std::int64_t>* stated, std::size_t rank);

// A shape that a tensor holds; nothing if it says too little or too many dimensions.
std::optional<Shape> shape_in(const std::optional<PartialNumbers>& sizes);

// What becomes of two sizes that differ though neither is 1, which is a mistake, or that are both unknown: TensorFlow's
// rules do not know, ONNX's take one of them.
enum class Mismatch : std::uint8_t { kOneOfThem, kUnknown };
Shape broadcast(const Shape& a, const Shape& b, Mismatch mismatch = Mismatch::kOneOfThem);

// Whole numbers that may be unknown, for contents that models compute on their way to a shape. What overflows is
// unknown.
using Number = std::optional<std::int64_t>;

inline Number sum_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Number() : Number(sum);
}

inline Number difference_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? Number() : Number(difference);
}

inline Number product_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Number() : Number(product);
}

// A part of an axis, from `begin` to before `end`; both count from the end of the axis if they are negative, and may be
// left open.
struct SliceRange {
  std::int64_t begin = 0, end = 0, stride = 1;  // the stride is not 0
  bool open_begin = false, open_end = false;
};

// Number of steps along an axis of that size; `begin` and `end` are moved to places in it.
std::int64_t slice_length(SliceRange& range, std::int64_t size);

// How many numbers there are from `start` to before `limit`; unknown where that overflows or the step is 0.
Dim range_length(std::int64_t start, std::int64_t limit, std::int64_t step);

}  // namespace berth
