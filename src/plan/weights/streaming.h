// SPDX-License-Identifier: Apache-2.0
// Streaming: a plan that overflows made to fit by keeping weights elsewhere and sending them anew in every step, while
// the work stays where it is. A weight costs room on its reader's device only from its arrival to its last use, so
// those used first go first: they have left again when later ones arrive.
//
// Cost: a simulation with its timeline per round, a few rounds. Where it fails: nothing else has room, links are slow,
// or activations alone overflow.
#pragma once

#include <optional>

#include "plan/planner.h"

namespace berth {

// Whether the weights alone are more than all workers hold, so that work has to follow them to other devices, or they
// have to travel.
bool outgrows_workers(const Problem& problem);

// Workers filled with weights one after the other from the end of the step; the first worker has the rest, more than it
// holds, which is used early: what stream_weights() is best at.
Plan fill_from_the_end(const Problem& problem);

// The plan with weights moved out of the memories that overflow, if it fits then; counts as a few evaluations.
std::optional<Plan> stream_weights(Search& search, Plan plan);

}  // namespace berth
