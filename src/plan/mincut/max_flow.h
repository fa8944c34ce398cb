// SPDX-License-Identifier: Apache-2.0
// MaxFlow: the least cut between two nodes of a network, by Dinic's algorithm (1970): shortest augmenting paths, level
// by level. O(nodes^2 edges) at worst, near-linear on the shallow networks of placement. Capacities are integers, so
// the cut is exact.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace berth {

class MaxFlow {
 public:
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 4;

  explicit MaxFlow(std::size_t nodes) : first_(nodes, kNone) {}
  std::uint32_t add_node();
  // One way and back; kEndless can not be cut.
  void connect(std::uint32_t from, std::uint32_t to, std::int64_t there, std::int64_t back = 0);

  // The capacity of the least cut; nothing if `should_stop` said so; it is asked now and then.
  std::optional<std::int64_t> run(std::uint32_t source, std::uint32_t sink, const std::function<bool()>& should_stop);
  // After run(): whether a node is on the source's side of the least cut nearest to the source.
  [[nodiscard]] bool is_near_source(std::uint32_t node) const { return level_[node] >= 0; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Edge {  // edges 2i and 2i + 1 are the two ways of one
    std::uint32_t to, next;
    std::int64_t left;
  };

  bool find_levels(std::uint32_t source, std::uint32_t sink);
  std::optional<std::int64_t> push(std::uint32_t source, std::uint32_t sink, const std::function<bool()>& should_stop);

  std::vector<std::uint32_t> first_, present_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> level_;
  std::vector<std::uint32_t> queue_, path_;
};

}  // namespace berth
