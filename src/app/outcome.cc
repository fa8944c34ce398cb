// SPDX-License-Identifier: Apache-2.0
#include "app/outcome.h"

#include <algorithm>

#include "app/judge.h"
#include "app/progress.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

// Takes a note whenever the best is better than before.
void note_improvement(std::vector<report::Improvement>& convergence, double elapsed_s, std::uint64_t evaluations,
                      Picoseconds best) {
  const double best_s = to_seconds(best);
  if (convergence.empty() || best_s < convergence.back().best_s) {
    convergence.push_back({elapsed_s, evaluations, best_s});
  }
}

}  // namespace

Outcome run_planner(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                    bool progress) {
  return run_judged(problem, planner, budget, lower_bound, progress, nullptr);
}

Outcome run_judged(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                   bool progress, Judge* judge) {
  ProgressLine line(progress);
  const auto simulated = [&problem](int threads) { return make_simulated_evaluator(problem, threads); };
  Search search(problem, judge != nullptr ? judge->budget(budget) : budget,
                judge != nullptr ? judge->lower_bound(lower_bound) : lower_bound,
                judge != nullptr ? judge->evaluators() : EvaluatorMaker(simulated));
  search.set_stop_flag(&InterruptGuard::flag());
  search.set_measured(judge != nullptr && judge->is_measured());
  Outcome outcome;
  search.set_progress([&](const SearchState& state) {
    line.show(state);
    if (state.best) note_improvement(outcome.convergence, state.elapsed_s, state.evaluations, *state.best);
  });
  Result<Plan> plan = planner.make()->plan(search);
  outcome.planner = planner.name;
  outcome.lower_bound = search.lower_bound();  // the planner may have raised it
  outcome.search_s = search.elapsed_s();
  outcome.evaluations = search.evaluations();
  outcome.seed = budget.seed;
  outcome.note = search.note();
  outcome.interrupted = InterruptGuard::flag();
  outcome.cut_short = search.should_stop();
  if (!plan) {
    outcome.error = plan.error();
    return outcome;
  }
  outcome.plan = *std::move(plan);
  if (judge != nullptr) {
    judge->settle(outcome);
    return outcome;
  }
  const bool is_best = search.has_best() && search.best_plan() == outcome.plan;
  if (!is_best && search.has_best() && search.best_score().feasible) outcome.best_seen = search.best_score().step_time;
  outcome.score = is_best ? search.best_score() : simulate(problem, outcome.plan);
  if (outcome.score.feasible) {
    note_improvement(outcome.convergence, outcome.search_s, outcome.evaluations, outcome.score.step_time);
  }
  return outcome;
}

Outcome not_run(const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound) {
  Outcome outcome;
  outcome.planner = planner.name;
  outcome.lower_bound = lower_bound;
  outcome.seed = budget.seed;
  outcome.interrupted = outcome.cut_short = true;
  outcome.started = false;
  outcome.error = infeasible("interrupted before it began");
  return outcome;
}

Outcome score_plan(const Problem& problem, std::string planner, const Plan& plan) {
  Outcome outcome;
  outcome.planner = std::move(planner);
  outcome.plan = plan;
  outcome.score = simulate(problem, plan);
  outcome.lower_bound = lower_bound(problem, !plan.fusions.empty()).value();
  outcome.evaluations = 1;
  outcome.seed = 0;
  outcome.searched = false;
  return outcome;
}

void rank(std::vector<Outcome>& outcomes) {
  std::ranges::stable_sort(outcomes, [](const Outcome& a, const Outcome& b) {
    if (a.error || b.error) return !a.error && b.error;
    return better(a.score, b.score);
  });
}

std::optional<StepRange> step_range(const Machine& machine, const Score& predicted) {
  const auto& accuracy = machine.accuracy();
  if (!accuracy) return std::nullopt;
  const double predicted_s = to_seconds(predicted.step_time);
  return StepRange{accuracy->low * predicted_s, accuracy->high * predicted_s};
}

std::optional<StepRange> step_range(const Problem& problem, const Outcome& outcome) {
  const bool is_predicted_step = outcome.feasible() && !outcome.is_measured && problem.objective() == Objective::kStep;
  return is_predicted_step ? step_range(problem.machine(), outcome.score) : std::nullopt;
}

double imbalance(const Machine& machine, const Score& score) {
  double sum = 0.0, most = 0.0;
  int working = 0;
  for (const DeviceId id : machine.device_ids()) {
    const double busy_s = to_seconds(score.devices[index(id)].busy) / machine.device(id).lanes;
    if (busy_s <= 0.0) continue;
    sum += busy_s;
    most = std::max(most, busy_s);
    ++working;
  }
  return working > 0 ? most * working / sum - 1.0 : 0.0;
}

double joules_per_step(const Machine& machine, const Score& score) {
  double joules = 0.0;
  const double step_s = to_seconds(score.step_time);
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    const double busy_s = to_seconds(score.devices[index(id)].busy) / device.lanes;
    joules += busy_s * device.watts + (step_s - busy_s) * device.idle_watts;
  }
  return joules;
}

FusedCount count_fused(const Plan& plan) {
  FusedCount count{plan.fusions.size(), 0};
  for (const auto& group : plan.fusions) count.ops += group.size();
  return count;
}

std::vector<std::size_t> ops_per_device(const Problem& problem, const Plan& plan) {
  std::vector<std::size_t> counts(problem.machine().num_devices());
  for (const DeviceId device : plan.device_of) ++counts[index(device)];
  return counts;
}

}  // namespace berth::app
