// SPDX-License-Identifier: Apache-2.0
// Load before an op: all that it waits for, directly or not, has to be done before it begins, by all devices together.
// That is a window bound of its own (window_bound.h), with the ways from there to the op in place of those to the end.
// O(ops + edges) for an op.
#pragma once

#include <vector>

#include "sim/bounds/delay_graph.h"
#include "sim/bounds/work_prices.h"

namespace berth {

class LoadBefore {
 public:
  LoadBefore(const DelayGraph& graph, const WorkPrices& prices);
  // How early the op can begin, if all that is before it begins at `ways` or later.
  Picoseconds start(NodeId op, const Ways& ways);

 private:
  const DelayGraph& graph_;
  const WorkPrices& prices_;
  std::vector<std::uint32_t> position_;  // in the order of the graph
  std::vector<Picoseconds> way_to_;      // from the end of an op to the one asked for; -1 if it is not before it
};

}  // namespace berth
