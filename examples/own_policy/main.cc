// SPDX-License-Identifier: Apache-2.0
// A policy of your own (policy.h), trained by REINFORCE with the simulator as environment. Beside it: the best of as
// many plans of `random`.
#include <berth/base/rng.h>
#include <berth/machine/library.h>
#include <berth/plan/planners.h>
#include <berth/problem/problem.h>
#include <berth/services/plan/run_planner.h>
#include <berth/sim/bounds/bounds.h>
#include <berth/sim/simulator.h>
#include <berth/zoo/zoo.h>
#include <fmt/core.h>

#include <cmath>

#include "policy.h"

using namespace berth;

constexpr int kUpdates = 200, kBatch = 20;  // plans per update
constexpr double kRate = 2.0;

// The shorter, the better; a plan that does not fit in memory counts as one of ten times the length.
double reward(const Score& score) { return -std::log(to_seconds(score.step_time) * (score.feasible ? 1.0 : 10.0)); }

// The best of all plans that were drawn.
Score train(const Problem& problem) {
  Policy policy(problem);
  Simulator simulator(problem);
  Rng rng(1);
  std::optional<Score> best;
  for (int update = 1; update <= kUpdates; ++update) {
    std::vector<Plan> plans;
    std::vector<double> rewards;
    double mean = 0.0;
    for (int i = 0; i < kBatch; ++i) {
      const Score& score = simulator.run(plans.emplace_back(policy.sample(rng)));
      if (!best || better(score, *best)) best = score;
      mean += rewards.emplace_back(reward(score)) / kBatch;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) policy.reinforce(plans[i], kRate * (rewards[i] - mean));
    if (update == 1 || update % 50 == 0) fmt::print("update {:3}: mean {}\n", update, format_seconds(std::exp(-mean)));
  }
  return *best;
}

// The best of as many plans, each of a seed of its own.
Score best_of_random(const Problem& problem) {
  const ChosenPlanner random = chosen(*find_classical_planner("random"));
  const Picoseconds bound = lower_bound(problem).value();
  Caller nobody;
  std::optional<Score> best;
  for (std::uint64_t seed = 1; seed <= kUpdates * kBatch; ++seed) {
    const Outcome outcome = run_planner(problem, random, Budget{.evaluations = 1, .seed = seed}, bound, nobody);
    if (!best || better(outcome.score, *best)) best = outcome.score;
  }
  return *best;
}

Status train_and_compare() {
  BERTH_TRY(auto graph, build_zoo_model("rnnlm,batch=64,unroll=4"));
  BERTH_TRY(auto machine, builtin_machine("k40x2"));
  BERTH_TRY(const Problem problem, make_problem(std::make_shared<const Graph>(std::move(graph)),
                                                std::make_shared<const Machine>(std::move(machine))));
  fmt::print("trained {}\n", format_time(train(problem).step_time));
  fmt::print("random  {}\n", format_time(best_of_random(problem).step_time));
  return {};
}

int main() {
  const Status status = train_and_compare();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
