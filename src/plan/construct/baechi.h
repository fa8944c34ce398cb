// SPDX-License-Identifier: Apache-2.0
// The three planners of Baechi (Jeon et al., 2020). All begin with the same groups.
//
// `m-topo`: ops in topological order fill one device after another. The cap of a device is its share of all bytes
// (parameters and outputs) plus the largest group; shares go by capacity, which on equal devices is total / n. Groups
// move together, gradients with their forward ops. Cost: O(ops + edges). Where it loses: everywhere but in memory. It
// cuts by bytes, not by time, and blocks of a feed-forward model take turns.
//
// `m-etf`: of all ready ops and devices with room, again and again the pair that can start first, with one transfer at
// a time on every link queue and tensors that are sent once (plan/construct/earliest_task_first.h). Where it loses: it
// does not look ahead. An idle device takes the next op although the tensors that op makes will have to come back, and
// nothing keeps the critical path first.
//
// `m-sct`, after Hanen and Munier's small communication times: a linear program finds, for each op, the one child that
// should follow on the same device without a transfer (plan/construct/favourite_children.h); then earliest task first,
// where a device that has run an op keeps itself free for that child. Cost: m-etf and the linear program, which takes
// most of the time; above a fixed size, or when time is short, the favourite child is the reader of the largest tensor,
// and the note says so. Where it loses: as m-etf does, a little less; its guarantee holds while transfers are shorter
// than ops, which they are not on PCIe.
#pragma once

#include "plan/planner.h"

namespace berth {

class MTopoPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

class MEtfPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

// Only with CLP (BERTH_CLP).
class MSctPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
