// SPDX-License-Identifier: Apache-2.0
// `berth explain --policy RUN` in `berth-learned`.
#include "app/explain.h"
#include "app/learn/beliefs_output.h"
#include "app/learned.h"
#include "app/output/progress.h"

namespace berth::app {

Result<Exit> explain_policy(const ExplainFlags& flags) {
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const learn::PolicyExplanation why,
            learn::explain_policy({std::move(problem), flags.policy, flags.op}, caller));
  if (why.op) {
    BERTH_RETURN_IF_ERROR(print(flags.json ? belief_json(why, *why.op) : belief_text(why, *why.op)));
  } else {
    BERTH_RETURN_IF_ERROR(print(flags.json ? beliefs_json(why) : beliefs_text(why)));
  }
  return Exit::kDone;
}

}  // namespace berth::app
