// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/load_before.h"

#include <algorithm>
#include <utility>

#include "sim/bounds/window_bound.h"

namespace berth {

LoadBefore::LoadBefore(const DelayGraph& graph, const WorkPrices& prices)
    : graph_(graph), prices_(prices), position_(graph.size()), way_to_(graph.size(), -1) {
  for (std::uint32_t i = 0; i < graph.order.size(); ++i) position_[graph.order[i]] = i;
}

Picoseconds LoadBefore::start(NodeId op, const Ways& ways) {
  std::vector<PricedOp> before;
  const auto extend = [&](NodeId node, Picoseconds way) {
    for (const Delay& delay : graph_.before.of(node)) {
      Picoseconds& longest = way_to_[delay.node];
      longest = std::max(longest, way + delay.same);
    }
  };
  extend(op, 0);
  for (std::uint32_t i = position_[op]; i-- > 0;) {
    const NodeId node = graph_.order[i];
    const Picoseconds way = std::exchange(way_to_[node], -1);
    if (way < 0) continue;
    const Picoseconds time = graph_.least_time(node);
    if (time > 0) before.push_back({earliest_start(graph_, ways, node), way, prices_.priced(node)});
    extend(node, way + time);
  }
  return coarse_window_bound(before);
}

}  // namespace berth
