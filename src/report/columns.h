// SPDX-License-Identifier: Apache-2.0
// Columns: how far to the right each op of a drawn graph stands, so that edges point to the right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace berth::report {

// Per op: one more than the highest column it waits for. Parameters and constants could all stand in the first one;
// they are drawn beside those that use them first.
std::vector<std::uint32_t> find_columns(const Graph& graph);

// Stretches: parts of a graph whose ops say nothing about parts. What is computed one after the other is cut into
// pieces of about equal size, each cut moved to where the fewest tensors are in flight: between two blocks of a network
// rather than inside one.
inline constexpr std::size_t kLeastInStretch = 12, kMostStretches = 12;

// The first column of every stretch but the first, ascending; empty if there are too few ops to cut. `ops` are those to
// be cut, `column` has all ops of the graph.
std::vector<std::uint32_t> find_stretches(const Graph& graph, std::span<const OpId> ops,
                                          const std::vector<std::uint32_t>& column, std::size_t most = kMostStretches);

}  // namespace berth::report
