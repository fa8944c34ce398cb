// SPDX-License-Identifier: Apache-2.0
// Strongly connected components: which nodes of a directed graph wait for each other in a circle.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

// Number of the component of every node (Tarjan 1972, without recursion): equal for nodes that reach each other.
std::vector<std::uint32_t> find_components(std::size_t nodes,
                                           std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace berth
