// SPDX-License-Identifier: Apache-2.0
// The co-location rules of HSDAG (Duan et al., NeurIPS 2024): nodes of a graph drawn together before anything is
// learned. Either leaves a graph without cycles: a set is entered at its root alone.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

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

}  // namespace berth
