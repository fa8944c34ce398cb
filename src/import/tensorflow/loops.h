// SPDX-License-Identifier: Apache-2.0
// TensorFlow 1's loops: Enter, Merge, Switch, NextIteration and Exit around a body. The value that goes round, from
// NextIteration to Merge, is cut: what remains is one trip.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/flat_graph.h"

namespace berth::tensorflow {

// Cuts loops at NextIteration and gives every node the number of loops around it. Returns the nodes in a topological
// order; an error names a node on a cycle that remains.
Result<std::vector<std::uint32_t>> cut_loops(FlatGraph& graph, TensorFlowReport& report);

}  // namespace berth::tensorflow
