// SPDX-License-Identifier: Apache-2.0
// `genetic`: a biased random-key genetic algorithm (Goncalves and Resende, 2011) judged by the simulator.
//
// Idea: a plan is a vector of keys between 0 and 1, two per group of ops. One picks the device (each has a share of the
// range, larger where the group runs faster), the other shifts the group's ops in an order by upward ranks. Of every
// generation the best fifth lives on, a tenth is drawn anew, and the rest are children of one of the best and any
// other, each key from the better parent with probability 0.7. The first generation holds the plans of `single` and
// `expert`; all else in it is drawn. Groups are units on small graphs and are grown along the heaviest tensors on large
// ones, to a few hundred.
//
// Cost: one evaluation per child, in batches over all threads. Works for both objectives. Limits: devices or crossings
// are honoured by discarding children that break them. Where it loses: a child mixes whole plans, so thousands of
// evaluations go by before cuts are placed well; local search (`anneal`) is ahead on large graphs with dear transfers.
#pragma once

#include "plan/planner.h"

namespace berth {

class GeneticPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
