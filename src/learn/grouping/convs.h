// SPDX-License-Identifier: Apache-2.0
// Convolution blocks: a convolution with the norm, activation and pooling behind it, with their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace berth::learn {

// Label of every op's block (learn/grouping/labels.h). A block begins with a convolution of the forward pass and goes
// on while the next op is its only reader there, takes nothing else but parameters, and is a norm, works element by
// element or pools.
std::vector<std::uint32_t> conv_labels(const Graph& graph);

bool is_convolution(const Graph& graph, OpId op);

}  // namespace berth::learn
