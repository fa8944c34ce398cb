// SPDX-License-Identifier: Apache-2.0
#include "plan/mincut/max_flow.h"

#include <algorithm>

namespace berth {

std::uint32_t MaxFlow::add_node() {
  first_.push_back(kNone);
  return static_cast<std::uint32_t>(first_.size() - 1);
}

void MaxFlow::connect(std::uint32_t from, std::uint32_t to, std::int64_t there, std::int64_t back) {
  if (from == to || (there == 0 && back == 0)) return;
  const auto at = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({to, first_[from], there});
  edges_.push_back({from, first_[to], back});
  first_[from] = at;
  first_[to] = at + 1;
}

// Distance from the source over edges with something left; true if the sink has one.
bool MaxFlow::find_levels(std::uint32_t source, std::uint32_t sink) {
  level_.assign(first_.size(), -1);
  level_[source] = 0;
  queue_.assign(1, source);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    for (std::uint32_t edge = first_[queue_[i]]; edge != kNone; edge = edges_[edge].next) {
      const std::uint32_t to = edges_[edge].to;
      if (edges_[edge].left == 0 || level_[to] >= 0) continue;
      level_[to] = level_[queue_[i]] + 1;
      queue_.push_back(to);
    }
  }
  return level_[sink] >= 0;
}

// As much as all paths of this length hold. A stack in place of recursion: paths can be as long as the graph is deep.
std::optional<std::int64_t> MaxFlow::push(std::uint32_t source, std::uint32_t sink,
                                          const std::function<bool()>& should_stop) {
  constexpr std::uint64_t kAskEvery = 4096;
  std::int64_t total = 0;
  std::uint64_t steps = 0;
  present_ = first_;
  path_.clear();
  for (std::uint32_t node = source;;) {
    if (++steps % kAskEvery == 0 && should_stop()) return std::nullopt;
    if (node == sink) {
      std::int64_t least = kEndless;
      for (const std::uint32_t edge : path_) least = std::min(least, edges_[edge].left);
      std::size_t cut = path_.size();
      for (std::size_t i = path_.size(); i-- > 0;) {
        edges_[path_[i]].left -= least;
        edges_[path_[i] ^ 1].left += least;
        if (edges_[path_[i]].left == 0) cut = i;
      }
      total += least;
      node = edges_[path_[cut] ^ 1].to;  // back to where the path broke
      path_.resize(cut);
      continue;
    }
    std::uint32_t& edge = present_[node];
    while (edge != kNone && (edges_[edge].left == 0 || level_[edges_[edge].to] != level_[node] + 1))
      edge = edges_[edge].next;
    if (edge != kNone) {
      path_.push_back(edge);
      node = edges_[edge].to;
      continue;
    }
    if (path_.empty()) return total;
    level_[node] = -1;  // leads nowhere
    node = edges_[path_.back() ^ 1].to;
    path_.pop_back();
  }
}

std::optional<std::int64_t> MaxFlow::run(std::uint32_t source, std::uint32_t sink,
                                         const std::function<bool()>& should_stop) {
  std::int64_t total = 0;
  while (find_levels(source, sink)) {
    if (should_stop()) return std::nullopt;
    const std::optional<std::int64_t> pushed = push(source, sink, should_stop);
    if (!pushed) return std::nullopt;
    total += *pushed;
  }
  return total;
}

}  // namespace berth
