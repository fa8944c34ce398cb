// SPDX-License-Identifier: Apache-2.0
// `auto`, the default: runs the other planners that need no search of their own and keeps the plan with the best
// simulated score, so it is never worse than any planner it ran. Its note says which one won.
//
// Cost: one evaluation per device and three more. Once the budget is over it runs no further member.
#pragma once

#include "plan/planner.h"

namespace berth {

class AutoPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
