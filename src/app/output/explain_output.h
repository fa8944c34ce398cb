// SPDX-License-Identifier: Apache-2.0
// What `berth explain` says, for people and for programs.
#pragma once

#include <string>

#include "report/explain_op.h"
#include "services/explain/explain.h"
#include "services/problem/problem_request.h"

namespace berth::app {

std::string plan_text(const Problem& problem, const Outcome& outcome, const PlanExplanation& why);
std::string plan_json(const LoadedProblem& loaded, const Outcome& outcome, const PlanExplanation& why);
std::string op_text(const Problem& problem, const Outcome& outcome, const report::OpExplanation& why);
std::string op_json(const LoadedProblem& loaded, const Outcome& outcome, const report::OpExplanation& why);

}  // namespace berth::app
