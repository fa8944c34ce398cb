// SPDX-License-Identifier: Apache-2.0
// What HSDAG (Duan et al., NeurIPS 2024) does to a graph before anything is learned: its co-location rules, and the
// fractal dimension of every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

// Nodes of a graph drawn together. Either rule leaves a graph without cycles: a set is entered at its root alone.
enum class ColocationRule : std::uint8_t {
  kMutual,      // the paper: the only child of its only parent joins it
  kSoleParent,  // the released code: whatever has one parent joins it, though that may have other children
};

// Distinct (from, to) pairs; no cycle.
using DirectedEdge = std::pair<std::uint32_t, std::uint32_t>;

struct ColocationSets {
  std::vector<std::uint32_t> of_node;  // numbered from 0 in the order of their first nodes
  std::size_t count = 0;
};
ColocationSets find_colocation_sets(std::size_t nodes, std::span<const DirectedEdge> edges, ColocationRule rule);

// Distinct edges between different sets, sorted.
std::vector<DirectedEdge> edges_between(const ColocationSets& sets, std::span<const DirectedEdge> edges);

inline constexpr std::size_t kAllNodes = 0;

// Fractal dimension of every node by mass-radius regression: the slope of log N(v, r) over log r, where N counts the nodes that v reaches within r steps along the edges, itself left out, and r runs over the
// distances that occur. 0 where fewer than two do. Nodes that cannot be reached do not count.
//
// Exact, it looks at every pair of nodes. Bounded, the search from a node ends with the first distance at which it has
// seen `most` nodes: the slope of the neighbourhood instead of the whole graph, and the same wherever less is reached.
std::vector<double> fractal_dimensions(std::size_t nodes, std::span<const DirectedEdge> edges,
                                       std::size_t most = kAllNodes);

}  // namespace berth
