// SPDX-License-Identifier: Apache-2.0
// The second implementation of the simulator's rules (docs/simulator.md), which shares no code with src/sim and is
// written to be read beside them: naive loops, one rule per paragraph, memory worked out afterwards from explicit
// lifetimes. It is the judge of the fast one. O(instants x (ops + transfers)): fine for a few thousand ops.
#pragma once

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

// The plan must pass verify(). Every event stands in lane 0, and an overflow says only by how many bytes: the rules
// leave the names of lanes and of the culprit free.
Timeline reference_simulate(const Problem& problem, const Plan& plan);

}  // namespace berth
