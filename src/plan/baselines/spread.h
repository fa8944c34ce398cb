// SPDX-License-Identifier: Apache-2.0
// `random`: a device for every unit, drawn uniformly from the accelerators. One plan per seed, one evaluation: chance,
// the floor of every comparison. Load and memory come out nearly even, but almost every edge crosses between devices.
//
// `round-robin`: units are dealt out over the accelerators in topological order. One evaluation. The most even spread
// of work one can have without looking at it, and the most traffic: neighbours never share a device.
#pragma once

#include "plan/planner.h"

namespace berth {

class RandomPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

class RoundRobinPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
