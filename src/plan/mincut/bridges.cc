// SPDX-License-Identifier: Apache-2.0
#include "plan/mincut/bridges.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::uint32_t kUnreached = 0xffffffffU;

class BridgeFinder {
 public:
  BridgeFinder(std::size_t nodes, std::span<const UndirectedEdge> edges)
      : edges_(edges), begin_(nodes + 1, 0), around_(2 * edges.size()), found_(nodes, kUnreached), lowest_(nodes, 0) {
    for (const auto& [a, b] : edges) {
      ++begin_[a + 1];
      ++begin_[b + 1];
    }
    for (std::size_t i = 0; i < nodes; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
      around_[next[edges[edge].first]++] = edge;
      around_[next[edges[edge].second]++] = edge;
    }
    tree_.block.assign(nodes, kUnreached);
  }

  BridgeTree find() {
    for (std::uint32_t node = 0; node < found_.size(); ++node) {
      if (found_[node] == kUnreached) visit(node);
    }
    tree_.parts = tree_.blocks - tree_.bridges.size();
    return std::move(tree_);
  }

 private:
  struct Frame {
    std::uint32_t node, by, next;  // by: the edge it was reached by
  };

  void enter(std::uint32_t node, std::uint32_t by) {
    found_[node] = lowest_[node] = count_++;
    open_.push_back(node);
    path_.push_back({node, by, begin_[node]});
  }

  void visit(std::uint32_t start) {
    enter(start, kUnreached);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const std::uint32_t node = frame.node;
      if (frame.next < begin_[node + 1]) {
        const std::uint32_t edge = around_[frame.next++];
        const std::uint32_t to = edges_[edge].first == node ? edges_[edge].second : edges_[edge].first;
        if (edge == frame.by) continue;
        if (found_[to] == kUnreached) {
          enter(to, edge);
        } else {
          lowest_[node] = std::min(lowest_[node], found_[to]);
        }
        continue;
      }
      const std::uint32_t by = frame.by;
      path_.pop_back();
      if (lowest_[node] == found_[node]) {
        close(node);
        if (by != kUnreached) tree_.bridges.push_back(edges_[by]);
      }
      if (!path_.empty()) lowest_[path_.back().node] = std::min(lowest_[path_.back().node], lowest_[node]);
    }
  }

  void close(std::uint32_t first) {
    for (std::uint32_t node = kUnreached; node != first;) {
      node = open_.back();
      open_.pop_back();
      tree_.block[node] = static_cast<std::uint32_t>(tree_.blocks);
    }
    ++tree_.blocks;
  }

  std::span<const UndirectedEdge> edges_;
  std::vector<std::uint32_t> begin_, around_, found_, lowest_, open_;
  std::vector<Frame> path_;
  std::uint32_t count_ = 0;
  BridgeTree tree_;
};

}  // namespace

BridgeTree find_bridges(std::size_t nodes, std::vector<UndirectedEdge> edges) {
  for (auto& [a, b] : edges) {
    if (a > b) std::swap(a, b);
  }
  std::erase_if(edges, [](const UndirectedEdge& edge) { return edge.first == edge.second; });
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return BridgeFinder(nodes, edges).find();
}

}  // namespace berth
