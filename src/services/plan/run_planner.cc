// SPDX-License-Identifier: Apache-2.0
#include "services/plan/run_planner.h"

#include <fmt/format.h>

#include "base/check.h"

namespace berth {
namespace {

// Takes a note whenever the best is better than before.
void note_improvement(std::vector<report::Improvement>& convergence, double elapsed_s, std::uint64_t evaluations,
                      Picoseconds best) {
  const double best_s = to_seconds(best);
  if (convergence.empty() || best_s < convergence.back().best_s) {
    convergence.push_back({elapsed_s, evaluations, best_s});
  }
}

// That nobody asked for a GPU and there is none is not worth a word.
void tell_batches(const BatchUse& use, bool was_demanded, Outcome& outcome) {
  if (use.on_gpu == 0 && !was_demanded) return;
  outcome.batches = use;
  std::string told = use.on_gpu > 0 ? fmt::format("{} plans simulated on {}", use.on_gpu, use.card) : "";
  if (use.outgrown > 0) told += fmt::format(" ({} outgrew it and ran on the processor)", use.outgrown);
  if (use.on_gpu > 0 && use.too_few > 0) told += fmt::format("; {} in batches too small for it", use.too_few);
  if (!use.note.empty()) told += fmt::format("{}{}", told.empty() ? "" : "; ", use.note);
  if (!told.empty()) outcome.note += fmt::format("{}{}", outcome.note.empty() ? "" : "; ", told);
}

}  // namespace

void check_verified(const Problem& problem, std::string_view planner, const Plan& plan) {
  if (const auto broken = verify(problem, plan)) {
    check_failed(fmt::format("the plan of '{}' is legal, but {}", planner, broken->message).c_str(), __FILE__,
                 __LINE__);
  }
}

Outcome run_planner(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                    Judge& judge, Caller& caller) {
  Search search(problem, judge.budget(budget), judge.lower_bound(lower_bound), judge.evaluators());
  search.set_stop_flag(caller.stop_flag());
  search.set_measured(judge.is_measured());
  Outcome outcome;
  search.set_progress([&](const SearchState& state) {
    caller.show(state);
    if (state.best) note_improvement(outcome.convergence, state.elapsed_s, state.evaluations, *state.best);
  });
  Result<Plan> plan = planner.make()->plan(search);
  caller.part_ends();
  outcome.planner = planner.name;
  outcome.lower_bound = search.lower_bound();  // the planner may have raised it
  outcome.search_s = search.elapsed_s();
  outcome.evaluations = search.evaluations();
  outcome.seed = budget.seed;
  outcome.note = search.note();
  if (const BatchUse* use = search.batch_use(); use != nullptr && budget.simulate_on != SimulateOn::kCpu) {
    tell_batches(*use, budget.simulate_on == SimulateOn::kCuda, outcome);
  }
  outcome.interrupted = caller.wants_to_stop();
  outcome.cut_short = search.should_stop();
  if (!plan) {
    outcome.error = plan.error();
    return outcome;
  }
  check_verified(problem, planner.name, *plan);
  outcome.plan = *std::move(plan);
  judge.settle(search, outcome, caller);
  if (!outcome.is_measured && outcome.score.feasible) {
    note_improvement(outcome.convergence, outcome.search_s, outcome.evaluations, outcome.score.step_time);
  }
  return outcome;
}

Outcome run_planner(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                    Caller& caller) {
  const std::unique_ptr<Judge> judge = simulated_judge(problem);
  return run_planner(problem, planner, budget, lower_bound, *judge, caller);
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

}  // namespace berth
