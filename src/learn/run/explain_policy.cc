// SPDX-License-Identifier: Apache-2.0
#include "learn/run/explain_policy.h"

#include <algorithm>
#include <map>

#include "files/files.h"
#include "learn/methods.h"
#include "services/explain/explain.h"

namespace berth::learn {

Result<PolicyExplanation> explain_policy(const ExplainPolicyRequest& request, Caller& caller) {
  BERTH_TRY(TrainedRun run, load_trained(request.policy));
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  const Problem& problem = loaded.problem;
  BERTH_RETURN_IF_ERROR(run.check(problem));
  std::optional<OpId> op;
  if (!request.op.empty()) {
    BERTH_TRY(op, named_op(problem.graph(), request.op));
  }
  const RunConfig& config = run.config;
  Result<Beliefs> beliefs =
      beliefs_of(problem, config.options, config.seed, config.policy_device, run.checkpoint.state.values);
  if (!beliefs) return in_file(run.given, beliefs.error());
  std::optional<Plan> best_plan = run.known_plan(problem);
  return PolicyExplanation{std::move(loaded), std::move(run), *std::move(beliefs), std::move(best_plan), op};
}

std::string mostly(const Graph& graph, const std::vector<OpId>& ops) {
  std::map<std::string, std::size_t> modules, types;
  for (const OpId op : ops) {
    ++types[std::string(graph.type(op))];
    const std::string& module = graph.module(op);
    for (std::size_t end = 0; !module.empty() && end != std::string::npos;) {
      end = module.find('.', end == 0 ? 0 : end + 1);
      ++modules[module.substr(0, end)];
    }
  }
  std::string longest;
  for (const auto& [path, count] : modules) {
    if (2 * count > ops.size() && path.size() > longest.size()) longest = path;
  }
  if (!longest.empty() || types.empty()) return longest;
  return std::ranges::max_element(types, {}, [](const auto& entry) { return entry.second; })->first;
}

}  // namespace berth::learn
