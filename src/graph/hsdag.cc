// SPDX-License-Identifier: Apache-2.0
#include "graph/hsdag.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/disjoint_sets.h"

namespace berth {
namespace {

// Least squares over points that come one by one.
class Slope {
 public:
  void add(double x, double y) {
    count_ += 1.0;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }
  [[nodiscard]] double value() const {
    if (count_ < 2.0) return 0.0;
    return (xy_ - x_ * y_ / count_) / (xx_ - x_ * x_ / count_);
  }

 private:
  double count_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0;
};

class Explorer {
 public:
  Explorer(std::size_t nodes, std::span<const DirectedEdge> edges)
      : begin_(nodes + 1, 0), to_(edges.size()), seen_(nodes, 0) {
    for (const auto& [from, to] : edges) ++begin_[from + 1];
    for (std::size_t i = 0; i < nodes; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [from, to] : edges) to_[next[from]++] = to;
  }

  // Ring by ring around the node.
  double dimension(std::uint32_t node, std::size_t most) {
    ++mark_;
    queue_.assign(1, node);
    seen_[node] = mark_;
    Slope slope;
    std::size_t ring = 0;
    for (double radius = 1.0;; radius += 1.0) {
      const std::size_t end = queue_.size();
      for (; ring < end; ++ring) look_around(queue_[ring]);
      if (queue_.size() == end) break;
      const std::size_t within = queue_.size() - 1;
      slope.add(std::log(radius), std::log(static_cast<double>(within)));
      if (most != kAllNodes && within >= most) break;
    }
    return slope.value();
  }

 private:
  void look_around(std::uint32_t node) {
    for (std::uint32_t i = begin_[node]; i < begin_[node + 1]; ++i) {
      if (seen_[to_[i]] == mark_) continue;
      seen_[to_[i]] = mark_;
      queue_.push_back(to_[i]);
    }
  }

  std::vector<std::uint32_t> begin_, to_, seen_, queue_;
  std::uint32_t mark_ = 0;
};

}  // namespace

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

std::vector<double> fractal_dimensions(std::size_t nodes, std::span<const DirectedEdge> edges, std::size_t most) {
  Explorer explorer(nodes, edges);
  std::vector<double> dimensions(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) dimensions[node] = explorer.dimension(node, most);
  return dimensions;
}

}  // namespace berth
