// SPDX-License-Identifier: Apache-2.0
// Groupings that know nothing of what ops do: by chance, by module, along heavy tensors.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "plan/coarsen/grouping.h"

namespace berth::learn {

// Every unit in a random one of `groups` groups, among those of the units that may be on the same devices: each such
// kind of unit has its share of the groups, at least one. More than `groups` only where kinds may not be together.
Grouping random_grouping(const Problem& problem, std::size_t groups, std::uint64_t seed);

// Ops of one module, by the deepest level of module paths with at most `groups` of them; what is too many, as for being
// without a path, joins as in heavy_grouping.
Grouping module_grouping(const Problem& problem, std::size_t groups);

// Joins along the heaviest tensors within an equal share of the work, then the lightest neighbours until `groups` are
// left. Every group is made of whole groups of `finer`.
Grouping heavy_grouping(const Problem& problem, const Grouping& finer, std::size_t groups);

// A pass under a limit of work that leaves at least `groups` groups where there were as many: an equal share of all
// work, or as far below it as it takes, since a few heavy ops may hold most of the work. `pass` takes GroupLimits.
template <typename Pass>
Grouping join_within_share(const Problem& problem, const Grouping& finer, std::size_t groups, const Pass& pass) {
  const std::vector<Picoseconds> work = weigh_groups(problem, finer).work;
  const Picoseconds total = std::accumulate(work.begin(), work.end(), Picoseconds{0});
  for (auto limit = total / static_cast<Picoseconds>(groups); limit > 0; limit /= 2) {
    Grouping coarser = pass(GroupLimits{.work = limit});
    if (coarser.size() >= groups) return coarser;
  }
  return finer;
}

// Units that are together in both.
Grouping common_parts(const Problem& problem, const Grouping& a, const Grouping& b);

}  // namespace berth::learn
