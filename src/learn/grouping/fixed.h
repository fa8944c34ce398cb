// SPDX-License-Identifier: Apache-2.0
// Groupings that are not learned: the colocation heuristics of ColocRL (Mirhoseini et al., 2017), partitions, modules,
// chance. Every one is a Grouping (plan/grouping.h) of at most `groups` groups that a Placer can place.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "plan/coarsen/grouping.h"
#include "runs/options/grouping.h"

namespace berth::learn {

// `rule` is one of
//   none         a group per unit, whatever `groups` says
//   random       every unit in a random group
//   metis        METIS k-way partition of the units by work and bytes (an error where METIS is not in this build)
//   modules      by module path, the deepest level with at most `groups` of them; then as for heavy
//   heavy        along the heaviest tensors, within a share of work, until at most `groups` are left
// or heuristics of ColocRL joined by '+', applied in this order:
//   framework    the framework's own colocation groups, and gradients with their forward ops
//   cells        a recurrent cell: one layer at one step, with its gradients
//   convs        a convolution with the norm, activation and pooling behind it, with their gradients
//   sole         an op joins its only consumer, again and again (Baechi's reading of the paper), within an equal share
//                of the work: taken to its end the rule leaves but one group of most models. Gradients that follow
//                their forward ops do not count as consumers
// after which the lightest neighbours join until exactly `groups` are left, or as few as there are; groups = 0 leaves
// them as they are and sets sole no limit. The order in which they are named does not matter. A rule that learns groups
// is none of these.
Result<Grouping> fixed_grouping(const Problem& problem, const GroupingRule& rule, std::size_t groups,
                                std::uint64_t seed);

// As many groups as are wanted, or 0: min(256, 20 x devices), as in Google's code.
std::size_t usual_groups(const Problem& problem, int wanted);

}  // namespace berth::learn
