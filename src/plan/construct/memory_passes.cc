// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/memory_passes.h"

#include <array>

#include "machine/device_set.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

// What schedulers know of memory is rough, so they are given less and less of it.
constexpr std::array kShares{1.0, 0.9, 0.75, 0.5};

}  // namespace

DeviceSet candidate_devices(const Problem& problem, CpuUse cpus) {
  const bool any = cpus == CpuUse::kAsAnyDevice && !problem.constraints().max_devices;
  return any ? all_devices(problem.machine()) : set_of(worker_devices(problem));
}

Result<Plan> with_memory_passes(Search& search, std::string_view planner, double first_share, const MemoryPass& pass) {
  Result<Plan> best = submit(search, pass(first_share), planner);
  if (!best || search.last_score().feasible) return best;
  Score best_score = search.last_score();
  for (const double share : kShares) {
    if (share >= first_share) continue;
    if (search.should_stop()) break;
    Result<Plan> next = submit(search, pass(share), planner);
    if (!next || !better(search.last_score(), best_score)) continue;
    best = std::move(next);
    best_score = search.last_score();
    if (best_score.feasible) {
      search.set_note(
          fmt::format("kept to {:.0f} % of each device's memory, since the first plan does not fit", share * 100));
      break;
    }
  }
  return best;
}

}  // namespace berth
