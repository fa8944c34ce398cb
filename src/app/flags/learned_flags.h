// SPDX-License-Identifier: Apache-2.0
// Flags of learned planners and trained policies, and the planners that there are with them.
#pragma once

#include <cstdint>
#include <string>

#include "services/plan/catalog.h"

namespace CLI {
class App;
}

namespace berth::app {

using LearnedFlags = LearningRequest;
void add_learned_flags(CLI::App& command, LearnedFlags& flags);

// Which trained policy plans, and what it may do besides proposing plans.
struct PolicyFlags {
  std::string run = {};        // its folder; empty: none
  bool zero_shot = false;      // as if it had never seen the problem
  bool plain_samples = false;  // only samples of the policy as it is
  std::uint64_t finetune = 0;  // updates of learning on for this problem
  bool is_start = false;       // its plan is where `auto` begins
};
void add_policy_flags(CLI::App& command, PolicyFlags& flags);

// All planners, with those that learn if they can run here or by the other program (app/learned.h).
Catalog planner_catalog();

}  // namespace berth::app
