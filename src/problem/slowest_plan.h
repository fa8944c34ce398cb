// SPDX-License-Identifier: Apache-2.0
// How long the worst legal plan could take, so that a problem whose plans would overrun the clock is refused at once.
#pragma once

#include "problem/problem.h"

namespace berth {

// Upper bound of the step time of every plan, in seconds: everything one after the other, each op on its slowest
// device, each tensor over the slowest link. Linear in the graph.
double slowest_plan_s(const Problem& problem);

}  // namespace berth
