// SPDX-License-Identifier: Apache-2.0
// What bounds the step of a plan, and what its crossings buy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/crossings.h"
#include "report/path_summary.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

struct PlanExplanation {
  struct JudgedCrossing {
    report::Crossing crossing;
    std::optional<report::Without> without;
  };
  report::PathSummary path;
  std::vector<std::string> limits;
  std::vector<JudgedCrossing> crossings;  // the costliest ones
};

// An error where the objective has no timeline to follow.
Status check_can_explain(const ProblemRequest& request, const Problem& problem);

PlanExplanation explain_plan(const Problem& problem, const Outcome& outcome);

// What a text names: one op; a pattern is fine as long as it stands for one.
Result<OpId> named_op(const Graph& graph, const std::string& text);

}  // namespace berth
