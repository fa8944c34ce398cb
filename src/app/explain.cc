// SPDX-License-Identifier: Apache-2.0
#include "app/explain.h"
#include "app/flags/options.h"

#include "app/learned.h"
#include "app/output/explain_output.h"
#include "app/output/progress.h"

namespace berth::app {
namespace {

Result<Exit> run_explain(const ExplainFlags& flags) {
  if (!flags.policy.empty()) return explain_policy(flags);
  if (flags.plan.empty())
    return bad_input("nothing to explain: give --plan FILE, or --policy RUN for a trained policy");
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const ExplainAnswer answer, explain({std::move(problem), flags.plan, flags.op}, caller));
  return printed(flags.json ? explanation_json(answer) : explanation_text(answer));
}

}  // namespace

void add_explain_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<ExplainFlags>(app, exit, "explain",
                                                    "what bounds the step, and why an op is where it is", run_explain);
  add_problem_flags(command, flags.problem);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  CLI::Option* plan = command.add_option("--plan", flags.plan, "plan file, as written by berth place -o");
  plan->type_name("FILE");
  add_text(command, "--policy", flags.policy, "RUN",
           "in place of a plan, the folder of a run (berth train): its groups, how likely every device is, what "
           "the Placer looked at")
      ->excludes(plan);
  add_text(command, "--op", flags.op, "NAME", "why this op is where it is, and what every other device would cost");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json --op 'encoder.layer.1.t24/matmul_5'\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --policy trained    (the folder of berth train)");
}

}  // namespace berth::app
