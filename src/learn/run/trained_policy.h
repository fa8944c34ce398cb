// SPDX-License-Identifier: Apache-2.0
// Learned methods as planners to choose: one that learns within its budget, or a policy that was trained before.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "runs/methods.h"
#include "services/plan/chosen_planner.h"

namespace berth::learn {

// Which trained policy plans, and what it may do besides proposing plans.
struct PolicyRequest {
  std::string run;                 // its folder, or a policy that comes with berth
  bool zero_shot = false;          // as if it had never seen the problem
  bool plain_samples = false;      // only samples of the policy as it is
  std::uint64_t finetune = 0;      // updates of learning on for this problem
  bool is_start = false;           // its plan is where `auto` begins
  std::string policy_device = {};  // empty: as it was trained
};
Result<ChosenPlanner> choose_trained(const PolicyRequest& request);

// `judged_by_search`: plans are judged as the search judges them, not simulated apart.
ChosenPlanner choose_learned(const Options& options, const std::string& policy_device, bool judged_by_search);

}  // namespace berth::learn
