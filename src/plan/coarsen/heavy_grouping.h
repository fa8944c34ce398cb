// SPDX-License-Identifier: Apache-2.0
// As many groups as are wanted, made along what is sent.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "plan/coarsen/grouping.h"

namespace berth {

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

// Joins along the heaviest tensors within an equal share of the work, then the lightest neighbours until `groups` are
// left. Every group is made of whole groups of `finer`.
Grouping heavy_grouping(const Problem& problem, const Grouping& finer, std::size_t groups);

}  // namespace berth
