// SPDX-License-Identifier: Apache-2.0
// What `go` sees of the nodes of a graph, as plain numbers. Nodes are items in topological order, those without a
// choice of devices too.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/features/features.h"
#include "learn/features/items.h"

namespace berth::learn {

inline constexpr std::int64_t kCoordinates = 4;
std::int64_t node_columns();

// Where nodes are in topological order, in time, in depth and among the layers [nodes, kCoordinates].
Rows node_coordinates(const Problem& problem, const Items& items);
// Everything the network sees of them [nodes, node_columns()].
Rows node_features(const Problem& problem, const Items& items, const Rows& coordinates);
// Seconds of every node, each op where it is quickest.
std::vector<double> work_of_items(const Problem& problem, const Items& items);

// Edges of one direction by node: neighbours begin[v] .. begin[v + 1].
struct Neighbours {
  std::vector<std::uint32_t> begin, node;
};

Neighbours neighbours_before(const Items& items);
Neighbours neighbours_after(const Items& items);

}  // namespace berth::learn
