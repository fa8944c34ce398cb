// SPDX-License-Identifier: Apache-2.0
// Upward ranks: the length of the longest way from the start of an op to the end of the step, the order in which list
// schedulers take ops (HEFT, Topcuoglu et al., 2002) and good priorities for any plan. O(edges).
#pragma once

#include <span>
#include <vector>

#include "problem/problem.h"

namespace berth {

// In picoseconds, indexed by OpId. An op never ranks below its successors; ops without duration may tie with them.

// Before placement: mean duration over the devices an op may be on, mean transfer over all device pairs. The way into a
// view costs nothing: it sits with what it looks at.
std::vector<double> upward_ranks(const Problem& problem);

// For a placement: durations on the plan's devices, transfers as on idle links. Priorities of the plan do not matter.
std::vector<double> upward_ranks(const Problem& problem, const Plan& plan);

// For a placement with fused groups, bottom levels: a group counts as one op, so its members share a level. Taken as
// priorities, they run the critical path first. The plan must pass verify().
std::vector<double> bottom_levels(const Problem& problem, const Plan& plan);

// All ops by falling rank, ties in topological order: a topological order itself.
std::vector<OpId> order_by_rank(const Problem& problem, std::span<const double> ranks);

}  // namespace berth
