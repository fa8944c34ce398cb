// SPDX-License-Identifier: Apache-2.0
#include "plan/one_kind.h"

#include "plan/placement.h"

namespace berth {

Result<Plan> CpuOnlyPlanner::plan(Search& search) {
  const DeviceId device = fallback_device(search.problem());
  search.set_note("all on " + search.problem().machine().device(device).name);
  return submit(search, plan_on_one_device(search.problem(), device), "cpu-only");
}

Result<Plan> GpuOnlyPlanner::plan(Search& search) {
  const Machine& machine = search.problem().machine();
  const std::vector<DeviceId> accelerators = machine.accelerators();
  const DeviceId device = accelerators.empty() ? fallback_device(search.problem()) : accelerators.front();
  search.set_note((accelerators.empty() ? "no accelerator, all on " : "all on ") + machine.device(device).name);
  return submit(search, plan_on_one_device(search.problem(), device), "gpu-only");
}

}  // namespace berth
