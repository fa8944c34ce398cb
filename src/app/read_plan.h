// SPDX-License-Identifier: Apache-2.0
// Plans from files: ours, or what another program takes or makes (io/foreign/foreign_plan.h).
#pragma once

#include <optional>
#include <string>

#include "app/outcome.h"
#include "app/resolve.h"

namespace berth::app {

struct ReadPlan {
  Plan plan;
  std::optional<std::string> machine = {};  // that it was made for, if the file says so
  std::string note = {};                    // what had to be done to it, for people
};

// Legal for the problem and its constraints; errors begin with the path.
Result<ReadPlan> read_plan(const std::string& path, const ProblemFlags& flags, const Problem& problem);

// The same, simulated; the planner is called `name`.
Result<Outcome> score_plan_file(const std::string& path, const std::string& name, const ProblemFlags& flags,
                                const Problem& problem);

// The name of the machine that a plan file of ours was made for; nothing if it is none, or cannot be read.
std::optional<std::string> machine_of_plan_file(const std::string& path);

}  // namespace berth::app
