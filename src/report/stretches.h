// SPDX-License-Identifier: Apache-2.0
// Stretches: parts of a graph whose ops say nothing about parts. What is computed one after the other is cut into
// pieces of about equal size, each cut moved to where the fewest tensors are in flight: between two blocks of a network
// rather than inside one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace berth::report {

inline constexpr std::size_t kLeastInStretch = 12, kMostStretches = 12;

// The first column of every stretch but the first, ascending; empty if there are too few ops to cut. `ops` are those to
// be cut, `column` has all ops of the graph (report/columns.h).
std::vector<std::uint32_t> find_stretches(const Graph& graph, std::span<const OpId> ops,
                                          const std::vector<std::uint32_t>& column, std::size_t most = kMostStretches);

}  // namespace berth::report
