// SPDX-License-Identifier: Apache-2.0
// `random`: a device for every unit, drawn uniformly from the accelerators. One plan per seed, one evaluation: chance,
// the floor of every comparison. Load and memory come out nearly even, but almost every edge crosses between devices.
#pragma once

#include "plan/planner.h"

namespace berth {

class RandomPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
