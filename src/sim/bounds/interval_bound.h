// SPDX-License-Identifier: Apache-2.0
// Interval bound: a step time is refuted if some stretch of it must hold more work than all lanes together can do.
// Every op has a window, from the longest way into it to the step time less the longest way out, and whatever part of
// it cannot be pushed out of the stretch on either side must be done there (Fernandez and Bussell 1973; energetic
// reasoning, Erschler, Lopez and Thuriot 1991). The bound is the least step time found that is not refuted.
//
// O(ops² log ops) per step time tried, and a few ten are tried; with many ops fewer stretches are looked at.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"

namespace berth {

struct WindowedOp {
  Picoseconds before, duration, after;  // longest ways in and out; the shortest time the op may take
};

// A step time that no schedule on that many lanes undercuts, at least `known`, which must be a bound already. All step
// times are multiples of `grid`.
Picoseconds interval_bound(std::span<const WindowedOp> ops, std::int64_t lanes, Picoseconds known, Picoseconds grid);

}  // namespace berth
