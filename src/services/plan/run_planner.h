// SPDX-License-Identifier: Apache-2.0
// The one way from a request to an outcome: a planner searches, its plan is verified, a judge says what it is worth.
#pragma once

#include <string_view>

#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/judge.h"
#include "services/plan/outcome.h"

namespace berth {

// That a plan breaks a rule is a bug of whoever made it, which ends the program (BERTH_CHECK): nothing that was not
// verified is ever reported or written.
void check_verified(const Problem& problem, std::string_view planner, const Plan& plan);

// Runs a planner to its end, or until the caller stops it, and verifies its plan.
Outcome run_planner(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                    Judge& judge, Caller& caller);
// The same, judged by simulation.
Outcome run_planner(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                    Caller& caller);

// The row of a planner that the caller kept from running.
Outcome not_run(const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound);

}  // namespace berth
