// SPDX-License-Identifier: Apache-2.0
#include "plan/list/memory_passes.h"

#include <array>

#include "plan/placement.h"

namespace berth {
namespace {

// From an unbounded sum, since freed memory makes room for more than the capacity, down to a careful one.
constexpr std::array kShares{1.0, 0.8, 0.5};

}  // namespace

DeviceSet candidate_devices(const Problem& problem, CpuUse cpus) {
  DeviceSet devices = 0;
  if (cpus == CpuUse::kAsAnyDevice && !problem.constraints().max_devices) {
    for (const DeviceId device : problem.machine().device_ids()) devices |= device_bit(device);
    return devices;
  }
  for (const DeviceId device : worker_devices(problem)) devices |= device_bit(device);
  return devices;
}

Result<Plan> with_memory_passes(Search& search, std::string_view planner, const MemoryPass& pass) {
  Result<Plan> best = submit(search, pass(std::nullopt), planner);
  if (!best || search.last_score().feasible) return best;
  Score best_score = search.last_score();
  for (const double share : kShares) {
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
