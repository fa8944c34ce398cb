// SPDX-License-Identifier: Apache-2.0
// mincut-exact: the least cut between two devices (two_way_cut.h). On a machine of two devices without overlap a branch
// and bound over such cuts proves the optimum: the bound of a cut is exact but for regions that break into more pieces
// than it counts, and memory, which it does not see; units where that happens are tried on both devices.
//
// Elsewhere the same cut, for every pair of different devices, is a heuristic: it saves transfers and slow devices, and
// sees no parallelism, so that it loses wherever overlap is the point.
#pragma once

#include "plan/planner.h"

namespace berth {

class MincutExactPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

// Whether the optimum can be proved: two devices, no overlap, step time.
bool is_two_way(const Problem& problem);

}  // namespace berth
