// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/coarsen/grouping.h"

namespace berth {

// The lightest group (least work, then fewest finer groups in it, then the lowest number) joins the neighbour it
// exchanges most bytes with, until exactly `count` are left; more where nothing may join any more. Neighbours with which
// it would hold over twice an equal share of the work come last, so that hubs do not take in everything; a group without
// a neighbour joins the lightest group it may join at all. Near-linear in the edges.
Grouping join_to_count(const Problem& problem, const Grouping& finer, std::size_t count);

}  // namespace berth
