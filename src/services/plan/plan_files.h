// SPDX-License-Identifier: Apache-2.0
// Plans from files and into files. What is read may be ours, or what another program takes or makes
// (import/plans/foreign_plan.h), or the placement that the file of a model carries; all of it is verified here.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "format/plan_file.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

struct ReadPlan {
  Plan plan;
  std::optional<std::string> machine = {};  // that it was made for, if the file says so
  std::string note = {};                    // what had to be done to it, for people
};

// Legal for the problem of the request and its constraints; errors begin with the path.
Result<ReadPlan> read_plan(const std::string& path, const ProblemRequest& request, const Problem& problem);

// The same, simulated; the planner is called `name`.
Result<Outcome> score_plan_file(const std::string& path, const std::string& name, const ProblemRequest& request,
                                const Problem& problem);

// The name of the machine that a plan file of ours was made for; nothing if it is none, or cannot be read.
std::optional<std::string> machine_of_plan_file(const std::string& path);

// "given": the placement that the file of a model carries, judged like a planner's. `loaded.device_of` must not be
// empty. An error if it does not suit the machine.
Result<Outcome> score_given(const LoadedProblem& loaded);
// The same for a row of a comparison, where an error is an outcome without a plan; nothing if the file carries none.
std::optional<Outcome> given_row(const LoadedProblem& loaded);

// What a plan file says about the worth of its plan.
PlanPrediction prediction_of(const Problem& problem, const Outcome& outcome);

// Writes the plan of an outcome, with what it predicts, to a plan file; whole or not at all. `also_for` are the hashes
// of other graphs that it was made for.
Status save_plan(const std::string& path, const Problem& problem, const Outcome& outcome,
                 std::span<const std::string> also_for = {});

}  // namespace berth
