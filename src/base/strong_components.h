// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

// Strongly connected components of a graph (Tarjan, 1972), numbered in topological order: no edge leads from a later
// component to an earlier one. The order is depth first, so that what follows on each other stays together.
std::vector<std::uint32_t> components_in_order(std::size_t num_nodes,
                                               std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace berth
