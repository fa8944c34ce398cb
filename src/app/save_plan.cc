// SPDX-License-Identifier: Apache-2.0
#include "app/save_plan.h"

#include "io/plan_file.h"

namespace berth::app {

Status save_plan(const std::string& path, const Problem& problem, const Outcome& outcome,
                 std::span<const std::string> also_for) {
  PlanPrediction prediction;
  prediction.planner = outcome.planner;
  prediction.objective = objective_name(problem.objective());
  prediction.objective_value_s = prediction.step_time_s = outcome.value_s();
  prediction.lower_bound_s = to_seconds(outcome.lower_bound);
  prediction.feasible = outcome.score.feasible;
  for (const DeviceId id : problem.machine().device_ids()) {
    const DeviceUse& use = outcome.score.devices[index(id)];
    prediction.devices.push_back(
        {problem.machine().device(id).name, to_seconds(use.busy), use.peak, problem.capacity(id)});
  }
  return save_plan_file(path, problem.graph(), problem.machine(), outcome.plan, prediction, also_for);
}

}  // namespace berth::app
