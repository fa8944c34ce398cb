// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "app/catalog.h"
#include "app/commands.h"
#include "app/json_output.h"
#include "app/judge.h"
#include "app/options.h"
#include "app/outcome.h"
#include "app/output.h"
#include "app/place_buckets.h"
#include "app/progress.h"
#include "app/report_file.h"
#include "app/resolve.h"
#include "app/save_plan.h"
#include "app/single_device.h"
#include "app/stage_flags.h"
#include "app/what_if.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

struct PlaceFlags {
  ProblemFlags problem;
  SearchFlags search;
  LearnedFlags learned;
  PolicyFlags policy;
  StageFlags stages;
  EnvFlags env;
  std::string planner = "auto", output, report;
  bool json = false;
};

// Who places; with --placement nobody need.
Result<ChosenPlanner> choose_planner(const PlaceFlags& flags) {
  if (!flags.stages.placement.empty()) {
    if (flags.learned.given().empty()) return ChosenPlanner{};
    return bad_input("{} is for learned planners; with --placement nobody learns", flags.learned.given());
  }
  if (flags.policy.run.empty()) return find_planner(flags.planner, flags.learned);
  if (flags.policy.is_start && flags.planner != "auto") {
    return bad_input("--policy together with --planner {}: only auto begins with a policy's plan", flags.planner);
  }
  return choose_trained(flags.policy, flags.learned);
}

// The placement, and what the stages make of it.
Result<Outcome> find_plan(const PlaceFlags& flags, const ChosenPlanner& planner, const Budget& budget,
                          const Problem& problem, Judge* judge) {
  const bool progress = !flags.search.quiet;
  Outcome placed;
  if (judge != nullptr) {
    return run_judged(problem, planner, budget, lower_bound(problem).value(), progress, judge);
  }
  if (flags.stages.placement.empty()) {
    const Picoseconds bound = lower_bound(problem).value();
    placed = run_planner(problem, planner, budget_to_place(budget, flags.stages), bound, progress);
    if (placed.error) return placed;
  } else {
    BERTH_TRY(placed, read_placement(flags.stages, flags.problem.constraints, problem));
  }
  return run_stages(problem, std::move(placed), flags.stages, budget, progress);
}

// What simulates beside the planner does not go with real runs.
Status check_env(const PlaceFlags& flags, std::size_t buckets) {
  if (flags.env.env == "simulate") return {};
  if (buckets > 1) return bad_input("--env {} is for one graph, so every --dim takes one size", flags.env.env);
  if (!flags.policy.run.empty()) return bad_input("--env {} does not go with --policy, which simulates", flags.env.env);
  if (const auto given = flags.stages.given(); !given.empty()) {
    return bad_input("--env {} does not go with {}, which simulates", flags.env.env, given);
  }
  return {};
}

Result<Exit> run_place(const PlaceFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_stages(flags.stages));
  BERTH_TRY(const ChosenPlanner planner, choose_planner(flags));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(std::vector<Bucket> buckets, read_buckets(flags.problem.dims));
  BERTH_RETURN_IF_ERROR(check_env(flags, buckets.size()));
  if (buckets.size() > 1) {
    if (!flags.policy.run.empty()) return bad_input("--policy is for one graph, so every --dim takes one size");
    if (const auto given = flags.stages.given(); !given.empty()) {
      return bad_input("{} is for one graph, so every --dim takes one size", given);
    }
    if (!flags.report.empty()) return bad_input("--report is for one graph, so every --dim takes one size");
    if (!flags.problem.changes.empty()) return bad_input("--set and --add-device: every --dim takes one size then");
    return place_buckets(planner, budget, std::move(buckets), {flags.problem, flags.search, flags.output, flags.json});
  }
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, flags.problem));
  BERTH_RETURN_IF_ERROR(check_report_path(flags.report, flags.problem));
  BERTH_TRY(const ResolvedProblem resolved, resolve_problem(flags.problem));
  const Problem& problem = resolved.problem;
  BERTH_RETURN_IF_ERROR(check_objective(flags.stages, problem));
  if (planner.check) BERTH_RETURN_IF_ERROR(planner.check(problem));
  if (!flags.report.empty()) BERTH_RETURN_IF_ERROR(check_reportable());

  const InterruptGuard guard;
  BERTH_TRY(std::optional<Judge> judge, Judge::make(flags.env, flags.problem.graph, problem));
  Judge* const judged_by = judge ? &*judge : nullptr;
  BERTH_TRY(const Outcome outcome, find_plan(flags, planner, budget, problem, judged_by));
  if (outcome.error) {
    if (flags.json) BERTH_RETURN_IF_ERROR(print(outcome_json(resolved, outcome, std::nullopt)));
    return *outcome.error;
  }
  // Written before the yardstick is computed, reported after the page: a plan that cannot be written is not lost.
  const Status saved = flags.output.empty() ? Status() : save_plan(flags.output, problem, outcome);
  // What everybody asks about first.
  const std::optional<Outcome> single =
      is_whole_single(outcome) ? outcome : run_single_judged(problem, budget, outcome.lower_bound, judged_by);
  BERTH_TRY(const std::optional<ResolvedProblem> unchanged, as_it_is(flags.problem));
  std::optional<Outcome> before;
  if (unchanged)
    before =
        run_planner(unchanged->problem, planner, budget, lower_bound(unchanged->problem).value(), !flags.search.quiet);
  const Status reported = flags.report.empty() ? Status() : save_report(flags.report, problem, {outcome}, single);
  if (flags.json) {
    const auto change = [&](JsonWriter& json) { write_change(json, unchanged->problem, *before, outcome); };
    BERTH_RETURN_IF_ERROR(
        print(outcome_json(resolved, outcome, single, std::nullopt, before ? MoreMembers(change) : nullptr)));
  } else {
    BERTH_RETURN_IF_ERROR(print(outcome_page(problem, outcome, single, resolved.costs)));
    if (before) BERTH_RETURN_IF_ERROR(print(change_text(unchanged->problem, *before, outcome)));
    const bool written = saved.ok() && !flags.output.empty();
    if (written) BERTH_RETURN_IF_ERROR(print(fmt::format("\nplan written to {}\n", clean(flags.output))));
    const bool shown = reported.ok() && !flags.report.empty();
    if (shown) BERTH_RETURN_IF_ERROR(print(fmt::format("\nreport written to {}\n", clean(flags.report))));
  }
  BERTH_RETURN_IF_ERROR(saved);
  BERTH_RETURN_IF_ERROR(reported);
  if (outcome.score.feasible) return Exit::kDone;
  return infeasible("{}", overflow_text(problem, outcome));
}

}  // namespace

void add_place_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<PlaceFlags>();
  CLI::App* command = app.add_subcommand("place", "find a plan: which device runs each op");
  add_problem_flags(*command, flags->problem, /*takes_size_lists=*/true);
  CLI::Option* planner =
      command->add_option("-p,--planner", flags->planner, "who plans (berth planners)")->capture_default_str();
  add_policy_flags(*command, flags->policy);
  CLI::Option* policy = command->get_option("--policy");
  add_stage_flags(*command, flags->stages)->excludes(planner)->excludes(policy);
  add_search_flags(*command, flags->search);
  add_learned_flags(*command, flags->learned);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  add_env_flags(*command, flags->env);
  add_output_flag(*command, flags->output, "write the plan to this file, also if it does not fit in memory");
  add_file_flag(*command, "--report", flags->report, "write an HTML report that opens in any browser to this file");
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth place zoo:nmt-4 --machine k40x4 --budget 10s -o plan.json --report report.html\n"
      "  berth place zoo:gpt2 --machine a100x8 --objective pipeline\n"
      "  berth place zoo:bert-base --machine k40x4 --pin 'module:embedding=gpu0' --keep-together 'encoder.layer.*'\n"
      "  berth place bert.onnx --machine h200 --dim batch=8,seq=128,512 -o plan.json    (two sizes, and a plan for "
      "both)\n"
      "  berth place zoo:nmt-8 --machine k40x8 --planner auto --policy trained    (auto begins with the policy's "
      "plan)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --fusion best --schedule search\n"
      "  berth place zoo:nmt-4 --machine k40x4 --placement plan.json --schedule search    (devices stay as they are)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --set 'link.*.bandwidth=2x' --add-device k40    (what if)\n"
      "  berth place rand0000.stg --machine procx8    (a public problem; others bring their machine)\n"
      "  berth place model.onnx --machine h200 --costs cuda.json@h200 --costs cpu.json    (profiles of ONNX Runtime)");
  command->callback([flags, planner, &exit] {
    flags->policy.is_start = planner->count() > 0;
    flags->learned.judged_by_search = flags->env.env != "simulate";
    exit = finish(run_place(*flags));
  });
}

}  // namespace berth::app
