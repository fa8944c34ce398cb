// SPDX-License-Identifier: Apache-2.0
// Legality of fusion groups, in one place for every planner.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "problem/plan.h"

namespace berth {

// Nothing if the groups are legal: at least two ops each, disjoint, compute ops or views, each on one device, and the
// graph with every group drawn together still has no cycle (so every group is convex over data and control edges, and
// no two groups wait for each other). Linear in the graph.
std::optional<Error> check_fusions(const Graph& graph, const Plan& plan);

// For every op the op that stands for it: the lowest member of its fusion group, or itself.
std::vector<OpId> fusion_leaders(const Graph& graph, const Plan& plan);

}  // namespace berth
