// SPDX-License-Identifier: Apache-2.0
// `round-robin`: units are dealt out over the accelerators in topological order. One evaluation. The most even spread
// of work one can have without looking at it, and the most traffic: neighbours never share a device.
#pragma once

#include "plan/planner.h"

namespace berth {

class RoundRobinPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
