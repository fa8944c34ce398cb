// SPDX-License-Identifier: Apache-2.0
// Recurrent cells: one layer of an unrolled network at one step, with its gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace berth::learn {

// Label of every op's cell (learn/grouping/labels.h). Found by structure: a step begins where an op reads a parameter
// whose own results came back to it inside its layer (plan/layers/layer_kinds.h), so the names of steps do not matter;
// those of layers do (plan/layers/layers.h). What a step computes from outside alone goes with the cell that reads it.
// The two directions of a bidirectional layer are two cells. No label where a layer's steps are one op.
std::vector<std::uint32_t> cell_labels(const Graph& graph);

}  // namespace berth::learn
