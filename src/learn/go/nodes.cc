// SPDX-License-Identifier: Apache-2.0
#include "learn/go/nodes.h"

#include <numeric>

namespace berth::learn {
namespace {

Neighbours neighbours_of(const Items& items, bool before) {
  Neighbours neighbours;
  neighbours.begin.assign(items.size() + 1, 0);
  neighbours.node.resize(items.edges.size());
  for (const Items::Edge& edge : items.edges) ++neighbours.begin[(before ? edge.to : edge.from) + 1];
  std::partial_sum(neighbours.begin.begin(), neighbours.begin.end(), neighbours.begin.begin());
  std::vector<std::uint32_t> next(neighbours.begin.begin(), neighbours.begin.end() - 1);
  for (const Items::Edge& edge : items.edges)
    neighbours.node[next[before ? edge.to : edge.from]++] = before ? edge.from : edge.to;
  return neighbours;
}

}  // namespace

Neighbours neighbours_before(const Items& items) { return neighbours_of(items, true); }
Neighbours neighbours_after(const Items& items) { return neighbours_of(items, false); }

std::vector<double> work_of_items(const Problem& problem, const Items& items) {
  const std::vector<Picoseconds> work = weigh_groups(problem, items.grouping).work;
  std::vector<double> seconds(items.size());
  for (std::size_t v = 0; v < seconds.size(); ++v) seconds[v] = to_seconds(work[items.decided[v]]);
  return seconds;
}

}  // namespace berth::learn
