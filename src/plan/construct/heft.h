// SPDX-License-Identifier: Apache-2.0
// HEFT (Topcuoglu, Hariri, Wu, 2002): ops by falling upward rank; each goes where it ends first, into the first idle
// gap that holds it, however many there are. As published it takes every transfer to be alone on its links and knows no
// memory. What is added: views stay with what they look at, parameters get their home with their first reader, and when
// the plan is out of memory, further passes keep the bytes of parameters and outputs within a share of each device.
//
// Cost: O(edges * devices) and a search among the gaps of a device for each op and device, about the square root of
// their number.
//
// Where it loses: links that are busy, since it sees them idle; recurrent layers, whose weights and gradient sums it
// copies between devices wherever a device seems to be free a little earlier.
#pragma once

#include "plan/planner.h"

namespace berth {

class HeftPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
