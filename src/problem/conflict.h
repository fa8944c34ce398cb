// SPDX-License-Identifier: Apache-2.0
// Conflicts: constraints that no plan can meet, found without planning. What is not found here may still be impossible;
// a planner says so then.
#pragma once

#include <optional>
#include <string>

#include "problem/problem.h"

namespace berth {

// Why no plan for the problem's graph and machine meets the constraints: more memory is reserved than there is, a unit
// has no device left, or where ops must be takes more devices or crossings than are allowed. The problem's own
// constraints do not count, and those given must have ids that exist. Without `graph_groups` as if the graph colocated
// nothing.
std::optional<std::string> find_conflict(const Problem& problem, const Constraints& constraints,
                                         bool graph_groups = true);

// Why no plan that meets the constraints fits in memory: what stays for the whole step is too much for one unit's
// devices, or for a memory that several units have to be in.
std::optional<std::string> find_overflow(const Problem& problem, const Constraints& constraints);

}  // namespace berth
