// SPDX-License-Identifier: Apache-2.0
// Pre-pass of the three Baechi planners: colocation, views with what they look at, and gradients with their forward ops
// as long as a group stays a small part of one device's share of the work.
//
// Co-placement (join_only_consumers) and chains are part of the published pre-pass too. They were tried and left out:
// they help where time grows with the number of ops, but their groups are so coarse that most step times grow and some
// plans stop fitting (docs/planners.md).
#pragma once

#include "plan/grouping.h"

namespace berth {

Grouping baechi_groups(const Problem& problem);

}  // namespace berth
