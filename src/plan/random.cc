// SPDX-License-Identifier: Apache-2.0
#include "plan/random.h"

#include "plan/placement.h"

namespace berth {

Result<Plan> RandomPlanner::plan(Search& search) {
  const std::vector<DeviceId> workers = worker_devices(search.problem());
  Rng rng(search.budget().seed);
  std::vector<DeviceId> wanted(search.problem().num_units());
  for (DeviceId& device : wanted) device = workers[rng.below(workers.size())];
  return submit(search, plan_from_units(search.problem(), wanted), "random");
}

}  // namespace berth
