// SPDX-License-Identifier: Apache-2.0
#include "services/explain/explain.h"

#include "problem/demands/op_index.h"
#include "report/moves.h"
#include "services/plan/plan_files.h"
#include "sim/simulator.h"

namespace berth {

namespace {

// An error where the objective has no timeline to follow.
Status check_can_explain(const ProblemRequest& request, const Problem& problem) {
  if (problem.objective() == Objective::kStep) return {};
  const std::string_view objective = objective_name(problem.objective());
  if (!request.objective) {  // a public problem brings its own
    return bad_input(
        "explain follows the timeline of a step, which {} does not have: its objective is '{}'; berth score "
        "shows the load of every device",
        request.graph, objective);
  }
  return bad_input(
      "explain follows the timeline of a step, which the objective '{}' does not have; leave --objective out to "
      "explain "
      "one step of the plan",
      objective);
}

}  // namespace

Result<OpId> named_op(const Graph& graph, const std::string& text) {
  BERTH_TRY(const std::vector<OpId> ops, OpIndex(graph).select(text));
  if (ops.size() == 1) return ops.front();
  return bad_input("--op '{}' stands for {} ops, among them '{}' and '{}'; name one", text, ops.size(),
                   graph.name(ops[0]), graph.name(ops[1]));
}

PlanExplanation explain_plan(const Problem& problem, const Outcome& outcome) {
  constexpr std::size_t kCrossings = 10;
  PlanExplanation result;
  const Timeline timeline = simulate_timeline(problem, outcome.plan);
  const std::vector<CriticalStep> path = critical_path(problem, outcome.plan, timeline);
  result.path = report::summarise(problem, path);
  if (problem.machine().overlap()) result.idle = report::idle_time(problem, outcome.plan, timeline);
  result.use = timeline.score.devices;
  result.limits = report::what_limits(problem, timeline.score, result.path, outcome.lower_bound);
  if (std::string bound = bound_sentence(outcome); !bound.empty()) result.limits.push_back(std::move(bound));
  report::Mover mover(problem, outcome.plan);
  for (const report::Crossing& crossing :
       report::costliest_crossings(problem, outcome.plan, timeline, path, kCrossings)) {
    result.crossings.push_back({crossing, report::without(problem, outcome.plan, crossing, mover)});
  }
  return result;
}

Result<Explanation> explain(const ExplainRequest& request, const Problem& problem, const Outcome& outcome) {
  BERTH_RETURN_IF_ERROR(check_can_explain(request.problem, problem));
  if (request.op.empty()) return Explanation(explain_plan(problem, outcome));
  BERTH_TRY(const OpId op, named_op(problem.graph(), request.op));
  return Explanation(report::explain_op(problem, outcome.plan, op));
}

Result<ExplainAnswer> explain(const ExplainRequest& request, Caller& caller) {
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  ExplainAnswer answer{.loaded = std::move(loaded), .outcome = {}, .why = {}};
  const Problem& problem = answer.loaded.problem;
  BERTH_RETURN_IF_ERROR(check_can_explain(request.problem, problem));
  BERTH_TRY(answer.outcome, score_plan_file(request.plan, "file", request.problem, problem));
  BERTH_TRY(answer.why, explain(request, problem, answer.outcome));
  return answer;
}

}  // namespace berth
