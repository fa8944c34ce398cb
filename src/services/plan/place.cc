// SPDX-License-Identifier: Apache-2.0
#include "services/plan/place.h"

#include <algorithm>

#include "format/plan_file.h"
#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/plan/single_device.h"
#include "services/problem/constraints.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// An error unless order and fusion make a difference to the problem's objective.
Status check_objective(const StageRequest& stages, const Problem& problem) {
  if (!stages.any() || problem.objective() != Objective::kPipeline) return {};
  return bad_input("{} is for the objective 'step'; 'pipeline' adds up loads, which neither fusion nor order changes",
                   stages.fusion.empty() ? "--schedule" : "--fusion");
}

Status check_before_search(const PlaceRequest& request, const Problem& problem) {
  BERTH_RETURN_IF_ERROR(check_objective(request.stages, problem));
  BERTH_RETURN_IF_ERROR(check_can_simulate(request.budget, problem));
  return request.planner.check ? request.planner.check(problem) : Status();
}

// The plan whose devices stay: legal, and it meets the constraints.
Result<Outcome> read_placement(const std::string& path, std::span<const Demand> demands, const Problem& problem) {
  BERTH_TRY(const Plan plan, load_plan_file(path, problem.graph(), problem.machine()));
  if (const Status met = check_demands(demands, problem, plan); !met) return within(path, met.error());
  if (const auto broken = verify(problem, plan)) return within(path, *broken);
  return score_plan(problem, "file", plan);
}

// The planner, at the plan that it is to go on from: without what runs as one there, since no search changes that.
Result<ChosenPlanner> planner_at_start(const PlaceRequest& request, const Problem& problem) {
  if (request.start.empty()) return request.planner;
  if (!request.planner.takes_start) return bad_input("planner '{}' goes on from no plan", request.planner.name);
  BERTH_TRY(ReadPlan start, read_plan(request.start, request.problem, problem));
  start.plan.fusions.clear();
  return starting_at(request.planner, std::move(start.plan));
}

// The placement, and what the stages make of it.
Result<Outcome> find_plan(const PlaceRequest& request, const Problem& problem, Judge& judge, Caller& caller) {
  Outcome placed;
  if (request.placement.empty()) {
    BERTH_TRY(const ChosenPlanner planner, planner_at_start(request, problem));
    const Budget budget = budget_to_place(request.budget, request.stages);
    const LowerBound bound = lower_bound(problem);
    placed = run_planner(problem, planner, budget, bound.value(), judge, caller);
    tell_bound(problem, bound, placed);
    if (placed.error) return placed;
  } else {
    BERTH_TRY(placed, read_placement(request.placement, request.problem.demands, problem));
  }
  return run_stages(problem, std::move(placed), request.stages, request.budget, caller);
}

// The same plan on the machine as it is; nothing if that lacks a device of the plan.
std::optional<Outcome> score_on(const Problem& unchanged, const Outcome& outcome) {
  const auto is_there = [&](DeviceId device) { return index(device) < unchanged.machine().num_devices(); };
  if (!std::ranges::all_of(outcome.plan.device_of, is_there) || verify(unchanged, outcome.plan)) return std::nullopt;
  return score_plan(unchanged, outcome.planner, outcome.plan);
}

Result<Outcome> score_any(const ScoreRequest& request, const LoadedProblem& loaded) {
  if (!request.plan.empty()) return score_plan_file(request.plan, "file", request.problem, loaded.problem);
  if (!loaded.device_of.empty()) return score_given(loaded);
  return bad_input("--plan is required, since {} carries no placement (berth place -o writes one)",
                   request.problem.graph);
}

}  // namespace

Result<PlaceAnswer> place(const PlaceRequest& request, Caller& caller) {
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  PlaceAnswer answer{.loaded = std::move(loaded), .outcome = {}};
  const Problem& problem = answer.loaded.problem;
  BERTH_RETURN_IF_ERROR(check_before_search(request, problem));
  caller.work_begins();
  BERTH_TRY(const std::unique_ptr<Judge> judge, make_judge(request.judge, request.problem.graph, problem, caller));
  BERTH_TRY(answer.outcome, find_plan(request, problem, *judge, caller));
  const Outcome& outcome = answer.outcome;
  if (outcome.error) return answer;
  // Written before the yardstick is computed.
  if (!request.output.empty()) answer.saved = save_plan(request.output, problem, outcome);
  // What everybody asks about first.
  answer.single =
      is_whole_single(outcome) ? outcome : run_single(problem, request.budget, outcome.lower_bound, *judge, caller);
  BERTH_TRY(std::optional<LoadedProblem> unchanged, load_unchanged(request.problem));
  if (!unchanged) return answer;
  const std::unique_ptr<Judge> simulated = simulated_judge(unchanged->problem);
  PlaceRequest same = request;
  if (!planner_at_start(request, unchanged->problem)) same.start.clear();  // it has an op on a device that is not there
  BERTH_TRY(Outcome before, find_plan(same, unchanged->problem, *simulated, caller));
  answer.before = Unchanged{*std::move(unchanged), std::move(before)};
  return answer;
}

Result<ScoreAnswer> score(const ScoreRequest& request, Caller& caller) {
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  ScoreAnswer answer{.loaded = std::move(loaded), .outcome = {}};
  const Problem& problem = answer.loaded.problem;
  BERTH_TRY(answer.outcome, score_any(request, answer.loaded));
  answer.single = run_single(problem, answer.outcome.lower_bound, caller);
  if (request.timeline) {
    if (problem.objective() == Objective::kPipeline) {
      return bad_input("--timeline: the objective 'pipeline' adds up loads and has no timeline; leave --timeline out");
    }
    answer.timeline = simulate_timeline(problem, answer.outcome.plan);
  }
  BERTH_TRY(std::optional<LoadedProblem> unchanged, load_unchanged(request.problem));
  if (!unchanged) return answer;
  if (std::optional<Outcome> before = score_on(unchanged->problem, answer.outcome)) {
    answer.before = Unchanged{*std::move(unchanged), *std::move(before)};
  }
  return answer;
}

}  // namespace berth
