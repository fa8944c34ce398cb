// SPDX-License-Identifier: Apache-2.0
// Where in its graph a node is, by numbers between 0 and 1 that mean the same for every graph: its place in topological
// order, which alone tells equal branches apart; how late in the step; how deep in the model (gradients as deep as
// their forward ops); and in which layer. Each is stretched so that equal intervals hold equal work: cut in order at
// equal distances, a model is cut into equal parts.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/features/items.h"
#include "learn/features/rows.h"

namespace berth::learn {

inline constexpr std::int64_t kCoordinates = 4;

// Where nodes are in topological order, in time, in depth and among the layers [nodes, kCoordinates].
Rows node_coordinates(const Problem& problem, const Items& items);
// Seconds of every node, each op where it is quickest.
std::vector<double> work_of_items(const Problem& problem, const Items& items);

}  // namespace berth::learn
