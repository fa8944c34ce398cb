// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/coarsen/grouping.h"

namespace berth::learn {

// Co-placement within a limit: an op whose outputs go to one other group alone joins it, to a fixed point, from the
// sinks. With `gradients_follow` ops that are the gradient of another (Graph::forward_of) do not count, neither as ops
// nor as readers, as in Baechi, which plans the forward pass alone: together with their forward ops they would tie each
// layer to the one before, and the whole model would become one group.
Grouping join_sole_consumers(const Problem& problem, const Grouping& finer, const GroupLimits& limits,
                             bool gradients_follow);

}  // namespace berth::learn
