// SPDX-License-Identifier: Apache-2.0
// What `berth explain` says, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/outcome.h"
#include "app/resolve.h"
#include "io/json_writer.h"
#include "report/crossings.h"
#include "report/explain_op.h"
#include "report/path_summary.h"

namespace berth::app {

struct PlanExplanation {
  struct JudgedCrossing {
    report::Crossing crossing;
    std::optional<report::Without> without;
  };
  report::PathSummary path;
  std::vector<std::string> limits;
  std::vector<JudgedCrossing> crossings;
};

std::string plan_text(const Problem& problem, const Outcome& outcome, const PlanExplanation& why);
std::string plan_json(const ResolvedProblem& resolved, const Outcome& outcome, const PlanExplanation& why);
std::string op_text(const Problem& problem, const Outcome& outcome, const report::OpExplanation& why);
std::string op_json(const ResolvedProblem& resolved, const Outcome& outcome, const report::OpExplanation& why);

}  // namespace berth::app
