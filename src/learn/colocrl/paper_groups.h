// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace berth::learn {

// The number of groups the paper states for a model like this one (unverified): 188 for RNNLM, 280 for NMT, 83 for
// Inception-V3; chosen by what the graph is made of, not by its name: recurrent cells with attention or without, or
// convolutions. 256 for all else.
std::size_t paper_groups(const Graph& graph);

}  // namespace berth::learn
