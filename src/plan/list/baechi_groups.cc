// SPDX-License-Identifier: Apache-2.0
#include "plan/list/baechi_groups.h"

#include <numeric>

#include "plan/placement.h"

namespace berth {
namespace {

// Groups per device at least; coarser ones leave a scheduler nothing to balance.
constexpr Picoseconds kGroupsPerDevice = 40;

}  // namespace

Grouping baechi_groups(const Problem& problem) {
  const Grouping views = join_views(problem, one_group_per_unit(problem));
  const std::vector<Picoseconds> work = weigh_groups(problem, views).work;
  const Picoseconds total = std::accumulate(work.begin(), work.end(), Picoseconds{0});
  const auto workers = static_cast<Picoseconds>(worker_devices(problem).size());
  return join_gradients(problem, views, {.work = total / (workers * kGroupsPerDevice)});
}

}  // namespace berth
