// SPDX-License-Identifier: Apache-2.0
// What policies see of items, as plain rows of numbers. Sizes and counts enter as logarithms, so
// that none of them saturates a layer.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/features/items.h"
#include "learn/features/rows.h"
#include "runs/options/network.h"

namespace berth::learn {

inline constexpr std::size_t kCosts = 4;  // flops, parameter, output and crossing bytes

struct ItemFeatures {
  Rows types;      // how many ops of each type, the most common first and the rest in the last column
  Rows shapes;     // outputs x dims of the item's heaviest op, as log(1 + size); absent: -1
  Rows costs;      // as the options say: flops and bytes as logarithms; seconds on every device as shares of all
  Rows sums;       // all of these in plain numbers, kCosts first, to be added up over a group
  Rows adjacency;  // what FeatureOptions::neighbours says
  std::vector<float> place;  // in topological order, 0 to 1
};
ItemFeatures features_of_items(const Problem& problem, const Items& items, const FeatureOptions& options);

// Seconds of an op on a device; where it may not run, those of the slowest device where it may, so that a device does
// not look quick for what it cannot do.
double seconds_on(const Problem& problem, OpId op, DeviceId device);

}  // namespace berth::learn
