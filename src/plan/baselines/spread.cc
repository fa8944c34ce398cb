// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/spread.h"

#include "plan/search/placement.h"

namespace berth {

Result<Plan> RandomPlanner::plan(Search& search) {
  const std::vector<DeviceId> workers = worker_devices(search.problem());
  Rng rng(search.budget().seed);
  std::vector<DeviceId> wanted(search.problem().num_units());
  for (DeviceId& device : wanted) device = workers[rng.below(workers.size())];
  return submit(search, plan_from_units(search.problem(), wanted), "random");
}

Result<Plan> RoundRobinPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<DeviceId> workers = worker_devices(problem);
  std::vector<DeviceId> wanted(problem.num_units(), kNoDevice);
  std::size_t dealt = 0;
  for (const OpId op : problem.graph().topological_order()) {
    DeviceId& device = wanted[problem.unit(op)];
    if (device == kNoDevice) device = workers[dealt++ % workers.size()];
  }
  return submit(search, plan_from_units(problem, wanted), "round-robin");
}

}  // namespace berth
