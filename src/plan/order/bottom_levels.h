// SPDX-License-Identifier: Apache-2.0
// Bottom levels of a plan: the longest way from the start of an op to the end of the step, transfers included, as on
// idle devices and links. Taken as priorities, they run the critical path first. O(edges).
#pragma once

#include <vector>

#include "problem/problem.h"

namespace berth {

// In picoseconds, indexed by OpId. A fused group counts as one op, so its members share a level. The plan must pass
// verify(); its priorities do not matter.
std::vector<double> bottom_levels(const Problem& problem, const Plan& plan);

}  // namespace berth
