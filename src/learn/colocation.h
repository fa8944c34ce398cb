// SPDX-License-Identifier: Apache-2.0
// Groupings that are not learned: the colocation heuristics of ColocRL (Mirhoseini et al., 2017), partitions, modules,
// chance. Every one is a Grouping (plan/coarsen/grouping.h) of at most `groups` groups that a Placer can place.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "plan/coarsen/grouping.h"

namespace berth::learn {

// `how` is one of
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
// them as they are and sets sole no limit. The order in which they are named does not matter.
Result<Grouping> fixed_grouping(const Problem& problem, std::string_view how, std::size_t groups, std::uint64_t seed);

// The number of groups the paper states for a model like this one (unverified): 188 for RNNLM, 280 for NMT, 83 for
// Inception-V3; chosen by what the graph is made of, not by its name: recurrent cells with attention or without, or
// convolutions. 256 for all else.
std::size_t paper_groups(const Graph& graph);

}  // namespace berth::learn
