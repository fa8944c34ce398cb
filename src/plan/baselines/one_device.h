// SPDX-License-Identifier: Apache-2.0
// `single`: everything on one device, whichever does best; ops it cannot run go to the first CPU.
//
// Cost: one evaluation per device. It uses no parallelism and is the first to run out of memory; yet on many models
// nothing simple beats one fast device, which is why it is the yardstick of every report.
//
// `cpu-only` and `gpu-only`: everything on the first CPU, or on the first accelerator with what it cannot run on the
// first CPU. The two columns that open every table in the papers. One evaluation.
#pragma once

#include "plan/planner.h"

namespace berth {

class SinglePlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

// On a machine without a CPU: its first device.
class CpuOnlyPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

// On a machine without an accelerator: the first CPU.
class GpuOnlyPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
