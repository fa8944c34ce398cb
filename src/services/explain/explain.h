// SPDX-License-Identifier: Apache-2.0
// What bounds the step of a plan, and what its crossings buy.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/crossings.h"
#include "report/explain_op.h"
#include "report/idle_time.h"
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
  std::vector<report::IdleTime> idle;  // by device; none on a machine without overlap
  std::vector<DeviceUse> use;          // by device
  std::vector<std::string> limits;
  std::vector<JudgedCrossing> crossings;  // the costliest ones
};

struct ExplainRequest {
  ProblemRequest problem;
  std::string plan;     // its file
  std::string op = {};  // or a pattern that stands for one; empty: all of the plan
};

using Explanation = std::variant<PlanExplanation, report::OpExplanation>;

struct ExplainAnswer {
  LoadedProblem loaded;
  Outcome outcome;
  Explanation why;
};
Result<ExplainAnswer> explain(const ExplainRequest& request, Caller& caller);
// The same of a plan that is no file; `problem` is that of the request.
Result<Explanation> explain(const ExplainRequest& request, const Problem& problem, const Outcome& outcome);

PlanExplanation explain_plan(const Problem& problem, const Outcome& outcome);

// What a text names: one op; a pattern is fine as long as it stands for one.
Result<OpId> named_op(const Graph& graph, const std::string& text);

}  // namespace berth
