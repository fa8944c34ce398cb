// SPDX-License-Identifier: Apache-2.0
// `anneal`: simulated annealing from the better of `single` and `expert`, over groups grown along the heaviest tensors,
// from a handful of large ones to single units (plan/annealer.h has the moves).
//
// Cost: the whole budget. Source: Kirkpatrick, Gelatt and Vecchi, 1983, with the thresholds drawn before the move.
// Where it loses: one walk from one start; `auto` has more starts, revisits coarse levels, and tunes priorities.
#pragma once

#include "plan/planner.h"

namespace berth {

class AnnealPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
