// SPDX-License-Identifier: Apache-2.0
// Skeleton: a DelayGraph without its light ops, where that says little less about who waits for whom. What is on the
// way between two ops that are left is a delay between them; if they are on two devices, something on that way is sent,
// at least the smallest tensor of it. O(edges).
#pragma once

#include <vector>

#include "sim/bounds/delay_graph.h"

namespace berth {

struct Skeleton {
  std::vector<NodeId> op;  // by node: the op it is, in the order of how early they can begin, so topologically
  DelayEdges before;       // between nodes
};

// `ways` are the ways_in() of the graph.
Skeleton make_skeleton(const DelayGraph& graph, const Ways& ways);

}  // namespace berth
