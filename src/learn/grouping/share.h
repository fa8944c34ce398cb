// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "plan/coarsen/grouping.h"

namespace berth::learn {

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

}  // namespace berth::learn
