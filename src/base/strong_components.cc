// SPDX-License-Identifier: Apache-2.0
#include "base/strong_components.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffffU;

// Along the edges backwards, so that a component is complete before those that follow on it.
class Tarjan {
 public:
  Tarjan(std::size_t num_nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges)
      : begin_(num_nodes + 1, 0), seen_(num_nodes, kUnseen), low_(num_nodes), component_(num_nodes, kUnseen) {
    for (const auto& edge : edges) ++begin_[edge.second + 1];
    for (std::size_t i = 0; i < num_nodes; ++i) begin_[i + 1] += begin_[i];
    before_.resize(edges.size());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& edge : edges) before_[next[edge.second]++] = edge.first;
    next_ = begin_;
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t node = 0; node < seen_.size(); ++node) {
      if (seen_[node] == kUnseen) search_from(node);
    }
    return std::move(component_);
  }

 private:
  void search_from(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      const std::uint32_t node = path_.back();
      if (next_[node] < begin_[node + 1]) {
        const std::uint32_t other = before_[next_[node]++];
        if (seen_[other] == kUnseen) {
          enter(other);
        } else if (component_[other] == kUnseen) {
          low_[node] = std::min(low_[node], seen_[other]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[node]);
      if (low_[node] == seen_[node]) close(node);
    }
  }

  void enter(std::uint32_t node) {
    seen_[node] = low_[node] = clock_++;
    path_.push_back(node);
    open_.push_back(node);
  }

  void close(std::uint32_t head) {
    while (true) {
      const std::uint32_t node = open_.back();
      open_.pop_back();
      component_[node] = components_;
      if (node == head) break;
    }
    ++components_;
  }

  std::vector<std::uint32_t> begin_, before_, next_;
  std::vector<std::uint32_t> seen_, low_, component_;
  std::vector<std::uint32_t> path_, open_;
  std::uint32_t clock_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> components_in_order(std::size_t num_nodes,
                                               std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  return Tarjan(num_nodes, edges).run();
}

}  // namespace berth
