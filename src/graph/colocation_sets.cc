// SPDX-License-Identifier: Apache-2.0
#include "graph/colocation_sets.h"

#include <algorithm>

#include "base/disjoint_sets.h"

namespace berth {

ColocationSets find_colocation_sets(std::size_t nodes, std::span<const DirectedEdge> edges, ColocationRule rule) {
  std::vector<std::uint32_t> parents(nodes, 0), children(nodes, 0);
  for (const auto& [from, to] : edges) {
    ++children[from];
    ++parents[to];
  }
  DisjointSets joined(nodes);
  for (const auto& [from, to] : edges) {
    const bool is_only_child = children[from] == 1 || rule == ColocationRule::kSoleParent;
    if (parents[to] == 1 && is_only_child) joined.unite(from, to);
  }
  ColocationSets sets{std::vector<std::uint32_t>(nodes), 0};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t root = joined.root(node);  // the lowest of its set, so numbered already
    sets.of_node[node] = root == node ? static_cast<std::uint32_t>(sets.count++) : sets.of_node[root];
  }
  return sets;
}

std::vector<DirectedEdge> edges_between(const ColocationSets& sets, std::span<const DirectedEdge> edges) {
  std::vector<DirectedEdge> between;
  for (const auto& [from, to] : edges) {
    if (sets.of_node[from] != sets.of_node[to]) between.emplace_back(sets.of_node[from], sets.of_node[to]);
  }
  std::ranges::sort(between);
  between.erase(std::unique(between.begin(), between.end()), between.end());
  return between;
}

}  // namespace berth
