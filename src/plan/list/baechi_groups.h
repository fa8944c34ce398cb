// SPDX-License-Identifier: Apache-2.0
// Pre-pass of the three Baechi planners: colocation, views with what they look at, and gradients with their forward ops
// as long as a group stays a small part of one device's share of the work.
//
// Co-placement (join_only_consumers) is part of the published pre-pass too. It was tried and left out: it helps where
// time grows with the number of ops, but its groups are so coarse that most step times grow and some plans stop fitting
// (docs/planners.md).
#pragma once

#include "plan/grouping.h"

namespace berth {

Grouping baechi_groups(const Problem& problem);

}  // namespace berth
