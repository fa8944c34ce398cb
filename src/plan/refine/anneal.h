// SPDX-License-Identifier: Apache-2.0
// `anneal`: simulated annealing from the better of `single` and `expert`, over groups grown along the heaviest tensors,
// from a handful of large ones to single units: one cycle of plan/refine/refiner.h (plan/refine/moves.h has the
// moves).
//
// Cost: the whole budget, unless the lower bound is reached. Source: Kirkpatrick, Gelatt and Vecchi, 1983, with the
// thresholds of Dueck, 1993. Where it loses: one walk from one start; `auto` has more starts and revisits coarse
// levels.
#pragma once

#include "plan/planner.h"

namespace berth {

class AnnealPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
