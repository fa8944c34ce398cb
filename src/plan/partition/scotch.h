// SPDX-License-Identifier: Apache-2.0
// `scotch` and `mincut`: static mapping of the graph onto the machine by the Scotch library,
// which cuts both in two again and again. Work is spread in
// proportion to the speed of the devices, and heavy tensors stay on one device or on near ones. `scotch` maps onto
// every device, `mincut` leaves the CPUs out (ops that no accelerator runs stay there).
//
// Cost: 8 mappings at each of two grains (best_cut.h), each simulated once. Sources: Pellegrini and Roman, 1996;
// as baselines of device placement: Mirhoseini et al., 2017 and 2018, who map ops once, unjoined.
//
// Where they lose: a mapping knows nothing of time. Two halves that run one after the other balance as well as two that
// run at once, and the cut has no notion of a critical path; memory is not looked at either. `scotch` also gives the
// CPU its share of work, which pays only if the ops it gets are as slow elsewhere.
#pragma once

#include "plan/planner.h"

namespace berth {

class ScotchPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

class MincutPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
