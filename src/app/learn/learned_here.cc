// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth-learned`: the learned planners. train_here.cc and explain_policy_here.cc have the rest.
#include "app/learned.h"

#include "learn/run/trained_policy.h"
#include "runs/new_run.h"

namespace berth::app {

bool has_learned_planners() { return true; }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& flags) {
  BERTH_TRY(const learn::Options options,
            learn::options_of(name, flags.preset.empty() ? "default" : flags.preset, flags.options));
  const std::string device = flags.policy_device.empty() ? "cpu" : flags.policy_device;
  return learn::choose_learned(options, device, flags.judged_by_search);
}

Result<ChosenPlanner> choose_trained(const PolicyFlags& policy, const LearnedFlags& flags) {
  if (!flags.preset.empty() || !flags.options.empty()) {
    return bad_input("{} cannot be changed by --policy: the policy was trained with what {}/config.json says",
                     flags.given(), policy.run);
  }
  return learn::choose_trained({.run = policy.run,
                                .zero_shot = policy.zero_shot,
                                .plain_samples = policy.plain_samples,
                                .finetune = policy.finetune,
                                .is_start = policy.is_start,
                                .policy_device = flags.policy_device});
}

}  // namespace berth::app
