// SPDX-License-Identifier: Apache-2.0
// Fractal dimension of every node by mass-radius regression, as HSDAG (Duan et al., NeurIPS 2024) uses it: the slope of
// log N(v, r) over log r, where N counts the nodes that v reaches within r steps, itself left out, and r runs over the
// distances that occur. 0 where fewer than two do. Nodes that cannot be reached do not count.
//
// Exact, it looks at every pair of nodes. Bounded, the search from a node ends with the first distance at which it has
// seen `most` nodes: the slope of the neighbourhood instead of the whole graph, and the same wherever less is reached.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/colocation_sets.h"

namespace berth {

inline constexpr std::size_t kAllNodes = 0;

// Along the edges.
std::vector<double> fractal_dimensions(std::size_t nodes, std::span<const DirectedEdge> edges,
                                       std::size_t most = kAllNodes);

}  // namespace berth
