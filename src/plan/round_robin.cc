// SPDX-License-Identifier: Apache-2.0
#include "plan/round_robin.h"

#include "plan/placement.h"

namespace berth {

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
