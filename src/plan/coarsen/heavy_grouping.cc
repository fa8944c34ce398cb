// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/heavy_grouping.h"

#include "plan/coarsen/join_to_count.h"

namespace berth {

Grouping heavy_grouping(const Problem& problem, const Grouping& finer, std::size_t groups) {
  const Grouping coarser = join_within_share(
      problem, finer, groups, [&](const GroupLimits& limits) { return join_heavy_tensors(problem, finer, limits); });
  return join_to_count(problem, coarser, groups);
}

}  // namespace berth
