// SPDX-License-Identifier: Apache-2.0
// Pre-pass of the three Baechi planners: colocation, views with what they look at, and gradients with their forward ops
// as long as a group stays a small part of one device's share of the work.
//
// Co-placement and chains (join_only_consumers, join_chains) are part of the published pre-pass too. They were measured
// and left out: they help where time grows with the number of ops, but their groups are so coarse that most step times
// grow, some by half, and plans stop fitting (docs/planners.md has the figures).
#pragma once

#include "plan/grouping.h"

namespace berth {

Grouping baechi_groups(const Problem& problem);

}  // namespace berth
