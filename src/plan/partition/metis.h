// SPDX-License-Identifier: Apache-2.0
// `metis`: the graph cut by METIS into one part per accelerator, work in proportion to speed, memory in proportion to
// capacity, so that little crosses the cut. Several tolerances of balance, with and without memory, k-way and by
// recursive bisection; the best simulated cut is kept.
//
// Cost: 16 cuts at each of two grains (best_cut.h), each simulated once. Source: Karypis and Kumar, 1998 (multilevel
// cuts) and "Multilevel algorithms for multi-constraint graph partitioning" (same year).
//
// Where it loses: like every partitioner it balances sums, not time, and never sees that one half waits for the other.
// All links count the same. METIS has no pins: what may not be in its part is moved afterwards. Memory counts every
// output as if it stayed alive, so a cut may be feasible that METIS calls full, never the other way round by much.
#pragma once

#include "plan/planner.h"

namespace berth {

class MetisPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
