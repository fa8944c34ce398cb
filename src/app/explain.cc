// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/explain.h"
#include "app/explain_output.h"
#include "app/has_timeline.h"
#include "app/learned.h"
#include "app/named_op.h"
#include "app/read_plan.h"
#include "app/resolve.h"
#include "sim/simulator.h"

namespace berth::app {
namespace {

constexpr std::size_t kCrossings = 10;

PlanExplanation explain_plan(const Problem& problem, const Outcome& outcome) {
  PlanExplanation result;
  const Timeline timeline = simulate_timeline(problem, outcome.plan);
  const std::vector<CriticalStep> path = critical_path(problem, outcome.plan, timeline);
  result.path = report::summarise(problem, path);
  result.limits = report::what_limits(problem, timeline.score, result.path, outcome.lower_bound);
  report::Mover mover(problem, outcome.plan);
  for (const report::Crossing& crossing :
       report::costliest_crossings(problem, outcome.plan, timeline, path, kCrossings)) {
    result.crossings.push_back({crossing, report::without(problem, outcome.plan, crossing, mover)});
  }
  return result;
}

Result<Exit> run_explain(const ExplainFlags& flags) {
  if (!flags.policy.empty()) return explain_policy(flags);
  if (flags.plan.empty())
    return bad_input("nothing to explain: give --plan FILE, or --policy RUN for a trained policy");
  BERTH_TRY(const ResolvedProblem resolved, resolve_problem(flags.problem));
  const Problem& problem = resolved.problem;
  BERTH_RETURN_IF_ERROR(
      check_has_timeline("explain", "leave --objective out to explain one step of the plan", problem, flags.problem));
  BERTH_TRY(const Outcome outcome, score_plan_file(flags.plan, "file", flags.problem, problem));
  std::string text;
  if (!flags.op.empty()) {
    BERTH_TRY(const OpId op, named_op(problem.graph(), flags.op));
    const report::OpExplanation why = report::explain_op(problem, outcome.plan, op);
    text = flags.json ? op_json(resolved, outcome, why) : op_text(problem, outcome, why);
  } else {
    const PlanExplanation why = explain_plan(problem, outcome);
    text = flags.json ? plan_json(resolved, outcome, why) : plan_text(problem, outcome, why);
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
