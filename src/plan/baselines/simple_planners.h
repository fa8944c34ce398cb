// SPDX-License-Identifier: Apache-2.0
// Planners that look at nothing but devices: everything on one of them, or spread over all of them.
//
// `single`: everything on one device, whichever does best; ops it cannot run go to the first CPU.
//
// Cost: one evaluation per device. It uses no parallelism and is the first to run out of memory; yet on many models
// nothing simple beats one fast device, which is why it is the yardstick of every report.
//
// `cpu-only` and `gpu-only`: everything on the first CPU, or on the first accelerator with what it cannot run on the
// first CPU. The two columns that open every table in the papers. One evaluation.
//
// `random`: a device for every unit, drawn uniformly from the accelerators. One plan per seed, one evaluation: chance,
// the floor of every comparison. Load and memory come out nearly even, but almost every edge crosses between devices.
//
// `round-robin`: units are dealt out over the accelerators in topological order. One evaluation. The most even spread
// of work one can have without looking at it, and the most traffic: neighbours never share a device.
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

class RandomPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

class RoundRobinPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
