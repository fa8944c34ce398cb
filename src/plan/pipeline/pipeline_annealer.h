// SPDX-License-Identifier: Apache-2.0
// Simulated annealing over all plans for a pipeline, contiguous or not, on loads that are kept exact under moves
// (sim/pipeline_loads.h), millions of moves per second.
//
// Energy: the sum over devices of (load / best so far)^8: smooth, so that a move that helps the second-most loaded
// device counts too, yet dominated by the largest load. Moves: one unit; a cluster grown along nets; a run of units in
// the order of the graph; a swap; half of them start at the most loaded device, and most go where a neighbour is.
// Rounds of growing length start from the best plan, in turn warm and hot. Cost: the degree of a unit per move. Every
// 1,024 moves count as so many evaluations. Where it loses: nothing proves how far the result is from the optimum but
// the bound of sim/bounds/bounds.h, which knows no transfers that some plan could avoid.
#pragma once

#include "plan/planner.h"

namespace berth {

// Improves the search's best plan until the search has to stop. There must be one. For Objective::kPipeline.
void improve_pipeline(Search& search, Rng rng);

}  // namespace berth
