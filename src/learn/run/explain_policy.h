// SPDX-License-Identifier: Apache-2.0
// What a trained policy holds likely for a problem, before anybody draws plans from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/beliefs.h"
#include "learn/run/trained_run.h"
#include "services/caller.h"
#include "services/problem/problem_request.h"

namespace berth::learn {

struct ExplainPolicyRequest {
  ProblemRequest problem;
  std::string policy;   // the folder of a run, or a policy that comes with berth
  std::string op = {};  // one op, by its name or a pattern; empty: all of them
};

struct PolicyExplanation {
  LoadedProblem loaded;
  TrainedRun run;
  Beliefs beliefs;
  std::optional<Plan> best_plan = {};  // of the run, for this very problem
  std::optional<OpId> op = {};         // that was asked for

  [[nodiscard]] const Problem& problem() const { return loaded.problem; }
};

Result<PolicyExplanation> explain_policy(const ExplainPolicyRequest& request, Caller& caller);

// What most ops of a group are part of: the longest module path that more than half of them share, else the most
// frequent type of op.
std::string mostly(const Graph& graph, const std::vector<OpId>& ops);

}  // namespace berth::learn
