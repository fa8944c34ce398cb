// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/dims.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {
namespace {

Dim broadcast_dim(const Dim& a, const Dim& b, Mismatch mismatch) {
  if (a.size == 1) return b;
  if (b.size == 1 || a == b) return a;
  const bool is_unknown = mismatch == Mismatch::kUnknown && a.known() == b.known();
  if (is_unknown) return unknown_dim();
  return a.known() ? a : b;  // an unknown one must be 1 or the same
}

}  // namespace

Dim open_dim(const NodeView& node, std::size_t axis) {
  if (node.name().empty() || node.name().size() > kLongestDimName) return unknown_dim();
  return {-1, fmt::format("{}.{}", node.name(), axis)};
}

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Dim sum_of(const Dim& a, const Dim& b) {
  if (!a.known() || !b.known()) return unknown_dim();
  return known_dim(is_size(a) && is_size(b) ? a.size + b.size : kTooLarge);
}

Dim product_of(const Dim& a, const Dim& b) {
  if (a.size == 1) return b;
  if (b.size == 1) return a;
  if (!a.known() || !b.known()) return unknown_dim();
  if (a.size == 0 || b.size == 0) return known_dim(0);
  const bool fits = is_size(a) && is_size(b) && a.size <= kLargestSize / b.size;
  return known_dim(fits ? a.size * b.size : kTooLarge);
}

Dim quotient_of(const Dim& a, std::int64_t by) {
  if (by == 1) return a;
  return is_size(a) && by > 0 && a.size % by == 0 ? known_dim(a.size / by) : unknown_dim();
}

std::optional<std::vector<std::size_t>> axes_or_all(const std::vector<std::int64_t>* stated, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < (stated != nullptr ? stated->size() : rank); ++i) {
    const auto axis = axis_of(stated != nullptr ? (*stated)[i] : static_cast<std::int64_t>(i), rank);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

std::optional<Shape> shape_in(const std::optional<PartialNumbers>& sizes) {
  if (!sizes || sizes->size() > kMostAxes) return std::nullopt;
  Shape shape;
  for (const auto& size : *sizes) shape.push_back(size ? known_dim(*size) : unknown_dim());
  return shape;
}

Shape broadcast(const Shape& a, const Shape& b, Mismatch mismatch) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i)
    result[i + shift] = broadcast_dim(longer[i + shift], shorter[i], mismatch);
  return result;
}

std::int64_t slice_length(SliceRange& range, std::int64_t size) {
  range.stride = std::clamp(range.stride, -kLargestSize, kLargestSize);  // the lowest number has no opposite
  const bool forward = range.stride > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  const auto place = [&](std::int64_t at) {
    if (at < 0) at = at < -size ? low : at + size;
    return std::clamp(at, low, high);
  };
  range.begin = range.open_begin ? (forward ? 0 : size - 1) : place(range.begin);
  range.end = range.open_end ? (forward ? size : -1) : place(range.end);
  const std::int64_t span = forward ? range.end - range.begin : range.begin - range.end;
  const std::int64_t step = forward ? range.stride : -range.stride;
  return span <= 0 ? 0 : (span - 1) / step + 1;
}

Dim range_length(std::int64_t start, std::int64_t limit, std::int64_t step) {
  std::int64_t span = 0;
  const bool overflows =
      step > 0 ? __builtin_sub_overflow(limit, start, &span) : __builtin_sub_overflow(start, limit, &span);
  if (overflows || step == 0 || step < -kLargestSize) return unknown_dim();
  return known_dim(span > 0 ? (span - 1) / (step > 0 ? step : -step) + 1 : 0);
}

}  // namespace berth
