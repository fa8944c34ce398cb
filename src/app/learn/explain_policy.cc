// SPDX-License-Identifier: Apache-2.0
// `berth explain --policy RUN`: what a trained policy holds likely, before anybody draws plans from it.
#include "app/explain.h"
#include "app/learn/beliefs_output.h"
#include "app/learn/trained_run.h"
#include "app/learned.h"
#include "app/output/progress.h"
#include "files/files.h"
#include "learn/methods.h"
#include "services/explain/explain.h"
#include "services/problem/problem_request.h"

namespace berth::app {

Result<Exit> explain_policy(const ExplainFlags& flags) {
  BERTH_TRY(const TrainedRun run, load_trained(flags.policy));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  BERTH_RETURN_IF_ERROR(run.check(problem));
  std::optional<OpId> op;
  if (!flags.op.empty()) {
    BERTH_TRY(op, named_op(problem.graph(), flags.op));
  }
  const RunConfig& config = run.config;
  const Result<learn::Beliefs> beliefs =
      learn::beliefs_of(problem, config.options, config.seed, config.policy_device, run.checkpoint.state.values);
  if (!beliefs) return in_file(run.given, beliefs.error());
  const PolicyView view{problem, run, *beliefs, run.known_plan(problem)};
  if (op) {
    BERTH_RETURN_IF_ERROR(print(flags.json ? belief_json(view, *op) : belief_text(view, *op)));
  } else {
    BERTH_RETURN_IF_ERROR(print(flags.json ? beliefs_json(view) : beliefs_text(view)));
  }
  return Exit::kDone;
}

}  // namespace berth::app
