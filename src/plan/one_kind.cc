// SPDX-License-Identifier: Apache-2.0
#include "plan/one_kind.h"

#include "plan/placement.h"
#include "plan/settle.h"

namespace berth {

namespace {

Result<Plan> all_on(Search& search, DeviceId device, std::string_view missing, std::string_view planner) {
  Plan plan = plan_on_one_device(search.problem(), device);
  search.set_note(std::string(missing) + where_note(search.problem(), plan, device));
  return submit_settled(search, std::move(plan), planner);
}

}  // namespace

Result<Plan> CpuOnlyPlanner::plan(Search& search) {
  const bool has_cpu = search.problem().machine().first_of(DeviceKind::kCpu).has_value();
  return all_on(search, fallback_device(search.problem()), has_cpu ? "" : "no CPU, ", "cpu-only");
}

Result<Plan> GpuOnlyPlanner::plan(Search& search) {
  const std::vector<DeviceId> accelerators = search.problem().machine().accelerators();
  if (accelerators.empty()) return all_on(search, fallback_device(search.problem()), "no accelerator, ", "gpu-only");
  return all_on(search, accelerators.front(), "", "gpu-only");
}

}  // namespace berth
