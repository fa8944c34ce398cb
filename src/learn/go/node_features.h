// SPDX-License-Identifier: Apache-2.0
// What the network sees of a node: what kind of ops it has, how much they do and move, and where in the graph it is.
#pragma once

#include <cstdint>

#include "learn/features/items.h"
#include "learn/features/rows.h"

namespace berth::learn {

std::int64_t node_columns();
// As plain numbers [nodes, node_columns()]. `coordinates`: those of learn/go/coordinates.h.
Rows node_features(const Problem& problem, const Items& items, const Rows& coordinates);

}  // namespace berth::learn
