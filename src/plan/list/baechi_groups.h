// SPDX-License-Identifier: Apache-2.0
// Pre-pass of the three Baechi planners: colocation, views with what they look at, and gradients with their forward ops
// as long as a group stays a small part of one device's share of the work.
//
// Co-placement and chains (join_only_consumers, join_chains) are part of the published pre-pass too. They were measured
// and left out: they help a library whose time grows with the number of ops, but their groups are so coarse that step
// times were 3 to 60 % longer on recurrent models and 10 % longer on inception-v3 (docs/planners.md).
#pragma once

#include "plan/grouping.h"

namespace berth {

Grouping baechi_groups(const Problem& problem);

}  // namespace berth
