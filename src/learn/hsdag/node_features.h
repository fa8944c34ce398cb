// SPDX-License-Identifier: Apache-2.0
// What HSDAG (Duan et al., NeurIPS 2024) sees of a node, a co-location set: types of its ops, degrees, fractal
// dimension, position, output shape. Each can be left out. Sizes enter as logarithms and the position between 0 and 1,
// unless raw numbers are asked for, as the released code has them.
#pragma once

#include "learn/features/features.h"
#include "learn/features/items.h"
#include "runs/methods/hsdag.h"

namespace berth::learn {

// Units that the rule puts together, on the graph of ops.
Grouping coarsen(const Problem& problem, Coarsening rule);

// One row per item, in the order of `items.decided`.
Rows node_features(const Problem& problem, const Items& items, const HsdagOptions& options);

}  // namespace berth::learn
