// SPDX-License-Identifier: Apache-2.0
// `single`: everything on one device, whichever does best; ops it cannot run go to the first CPU.
//
// Cost: one evaluation per device. It uses no parallelism and is the first to run out of memory; yet on many models
// nothing simple beats one fast device, which is why it is the yardstick of every report.
#pragma once

#include "plan/planner.h"

namespace berth {

class SinglePlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
