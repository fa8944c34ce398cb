// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth-learned`: the learned planners. train_run.cc, trained_policy.cc and explain_policy.cc have
// the rest.
#include "app/learn/run_config.h"
#include "app/learned.h"
#include "learn/planners.h"

namespace berth::app {
bool has_learned_planners() { return true; }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& flags) {
  BERTH_TRY(const learn::Options options, options_of(name, flags));
  const std::string device = flags.policy_device.empty() ? "cpu" : flags.policy_device;
  return ChosenPlanner{std::string(name), [=, judged = flags.judged_by_search] {
                         return learn::make_learned_planner(options, device, judged);
                       }};
}

}  // namespace berth::app
