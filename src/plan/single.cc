// SPDX-License-Identifier: Apache-2.0
#include "plan/single.h"

#include "plan/placement.h"

namespace berth {
namespace {

// Accelerators first: if the budget ends early, the likely best was tried.
std::vector<DeviceId> accelerators_then_cpus(const Machine& machine) {
  std::vector<DeviceId> devices = machine.accelerators();
  for (const DeviceId device : machine.device_ids()) {
    if (machine.device(device).kind == DeviceKind::kCpu) devices.push_back(device);
  }
  return devices;
}

}  // namespace

Result<Plan> SinglePlanner::plan(Search& search) {
  std::optional<Plan> best;
  std::optional<Error> first_error;
  Score best_score;
  std::string best_name;
  for (const DeviceId device : accelerators_then_cpus(search.problem().machine())) {
    if (best && search.should_stop()) break;
    Result<Plan> candidate = submit(search, plan_on_one_device(search.problem(), device), "single");
    if (!candidate) {
      if (!first_error) first_error = candidate.error();
      continue;
    }
    if (best && !better(search.last_score(), best_score)) continue;
    best = *std::move(candidate);
    best_score = search.last_score();
    best_name = search.problem().machine().device(device).name;
  }
  if (!best) return *first_error;
  search.set_note(best_score.feasible ? "all on " + best_name : "no device holds it alone, nearest is " + best_name);
  return *std::move(best);
}

}  // namespace berth
