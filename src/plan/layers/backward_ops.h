// SPDX-License-Identifier: Apache-2.0
// Which ops of a training step belong to its backward pass.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace berth {

// One entry per op, 1 for ops of the backward pass and updates. An op is there if the graph says whose gradient it is,
// if its type says so ("..._backward", "...Grad"), if it reads the loss, or if it reads anything of those. The loss is
// the last graph output, in topological order, from which an update can be reached. All 0 for an inference graph.
std::vector<std::uint8_t> backward_ops(const Graph& graph);

}  // namespace berth
