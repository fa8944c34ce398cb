// SPDX-License-Identifier: Apache-2.0
// m-SCT of Baechi (Jeon et al., 2020), after Hanen and Munier's small communication times: a linear program finds, for
// each op, the one child that should follow on the same device without a transfer (favourite_children.h); then earliest
// task first, where a device that has run an op keeps itself free for that child.
//
// Cost: m-etf and the linear program, which takes most of the time; above a fixed size, or when time is short, the
// favourite child is the reader of the largest tensor, and the note says so.
//
// Where it loses: as m-etf does, a little less; its guarantee holds while transfers are shorter than ops, which they
// are not on PCIe.
#pragma once

#include "plan/planner.h"

namespace berth {

class MSctPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
