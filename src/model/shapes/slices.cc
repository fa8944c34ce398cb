// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/slices.h"

#include <algorithm>

#include "model/shapes/dims.h"

namespace berth {

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
