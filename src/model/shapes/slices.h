// SPDX-License-Identifier: Apache-2.0
// Parts of an axis: slices with a step, and numbers counted from one to another. For the rules of every format.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace berth {

// From `begin` to before `end`; both count from the end of the axis if they are negative, and may be left open.
struct SliceRange {
  std::int64_t begin = 0, end = 0, stride = 1;  // the stride is not 0
  bool open_begin = false, open_end = false;
};

// Number of steps along an axis of that size; `begin` and `end` are moved to places in it.
std::int64_t slice_length(SliceRange& range, std::int64_t size);

// How many numbers there are from `start` to before `limit`; unknown where that overflows or the step is 0.
Dim range_length(std::int64_t start, std::int64_t limit, std::int64_t step);

}  // namespace berth
