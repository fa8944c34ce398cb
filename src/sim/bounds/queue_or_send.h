// SPDX-License-Identifier: Apache-2.0
// Queue or send: how early an op can begin that joins several ways. Each op before it that is on its device shares the
// lanes there; for one that is not, something has to be sent. So all ways to put the ops shortly before the join on
// devices are looked at (equal devices told apart by what they hold only), and the least of what they entail is how
// early the op can begin: the longest way with its transfers, and for every device the work it got between the earliest
// beginning and the shortest way to the join. The idea that ops which cannot afford a transfer have to queue is that of
// Papadimitriou and Yannakakis (SIAM J. Comput. 1990), whose bound allows copies of ops; here there are none.
//
// What takes too long to look at is cut short by what is known of it, so the bound is valid wherever the search ends.
// Steps are counted, so it is the same on every computer. O(steps).
#pragma once

#include "sim/bounds/delay_graph.h"
#include "sim/bounds/work_prices.h"

namespace berth {

// At least the ways_in() of the graph, which `ways` must be. The ops of `gates` begin no earlier than all that they
// wait for, directly or not, can be done by all devices together (load_before.h).
Ways queue_or_send(const DelayGraph& graph, const WorkPrices& prices, const std::vector<NodeId>& gates,
                   const Ways& ways);

}  // namespace berth
