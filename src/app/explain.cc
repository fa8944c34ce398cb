// SPDX-License-Identifier: Apache-2.0
#include "app/explain.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/learned.h"
#include "app/output/explain_output.h"
#include "app/output/progress.h"
#include "services/plan/plan_files.h"

namespace berth::app {
namespace {

Result<Exit> run_explain(const ExplainFlags& flags) {
  if (!flags.policy.empty()) return explain_policy(flags);
  if (flags.plan.empty())
    return bad_input("nothing to explain: give --plan FILE, or --policy RUN for a trained policy");
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  BERTH_RETURN_IF_ERROR(check_can_explain(request, problem));
  BERTH_TRY(const Outcome outcome, score_plan_file(flags.plan, "file", request, problem));
  std::string text;
  if (!flags.op.empty()) {
    BERTH_TRY(const OpId op, named_op(problem.graph(), flags.op));
    const report::OpExplanation why = report::explain_op(problem, outcome.plan, op);
    text = flags.json ? op_json(loaded, outcome, why) : op_text(problem, outcome, why);
  } else {
    const PlanExplanation why = explain_plan(problem, outcome);
    text = flags.json ? plan_json(loaded, outcome, why) : plan_text(problem, outcome, why);
  }
  BERTH_RETURN_IF_ERROR(print(text));
  return Exit::kDone;
}

}  // namespace

void add_explain_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* command = app.add_subcommand("explain", "what bounds the step, and why an op is where it is");
  add_problem_flags(*command, flags->problem);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  CLI::Option* plan = command->add_option("--plan", flags->plan, "plan file, as written by berth place -o");
  plan->type_name("FILE");
  command
      ->add_option(
          "--policy", flags->policy,
          "in place of a plan, the folder of a run (berth train): its groups, how likely every device is, what "
          "the Placer looked at")
      ->type_name("RUN")
      ->excludes(plan);
  command->add_option("--op", flags->op, "why this op is where it is, and what every other device would cost")
      ->type_name("NAME");
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json --op 'encoder.layer.1.t24/matmul_5'\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --policy trained    (the folder of berth train)");
  command->callback([flags, &exit] { exit = finish(run_explain(*flags)); });
}

}  // namespace berth::app
