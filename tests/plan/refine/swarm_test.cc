// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/swarm.h"

#include <gtest/gtest.h>

#include "plan/auto.h"
#include "plan/toys.h"
#include "sim/simulator.h"
#include "support/batch_plans.h"
#include "support/explicit_costs.h"

namespace berth {
namespace {

// The best of a swarm from `start`.
Plan best_plan(const Problem& problem, const Plan& start, const Budget& budget, std::size_t batch) {
  Search search(problem, budget);
  Swarm(search, Rng(budget.seed), batch).improve(start, 1.0);
  return search.best_plan();
}

TEST(MovedPlans, ArePlansOfABatch) {
  Plan base;
  base.device_of = {DeviceId(0), DeviceId(1), DeviceId(0)};
  MovedPlans plans;
  plans.begin(base);
  plans.moves.push_back({1, 0});
  plans.end_plan();
  plans.moves.push_back({0, 1});
  EXPECT_TRUE(plans.is_begun());
  EXPECT_EQ(plans.last().size(), 1U);
  plans.drop_plan();
  EXPECT_FALSE(plans.is_begun());
  plans.moves.push_back({2, 1});
  plans.moves.push_back({0, 1});
  plans.end_plan();
  ASSERT_EQ(plans.size(), 2U);
  Plan read;
  plans.batch({}).read(0, read);
  EXPECT_EQ(read.device_of, (std::vector{DeviceId(0), DeviceId(0), DeviceId(0)}));
  plans.batch({}).read(1, read);
  EXPECT_EQ(read.device_of, (std::vector{DeviceId(1), DeviceId(1), DeviceId(1)}));
}

TEST(Swarm, IsNoWorseThanItsStartAndTheSameForAnyNumberOfThreads) {
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 10 + seed);
    const Plan start = unfused_plan(problem, rng);
    const Plan found = best_plan(problem, start, {.evaluations = 300, .seed = seed, .threads = 1}, 16);
    EXPECT_EQ(found, best_plan(problem, start, {.evaluations = 300, .seed = seed, .threads = 3}, 16));
    ASSERT_EQ(verify(problem, found), std::nullopt);
    const Score before = simulate(problem, start), after = simulate(problem, found);
    EXPECT_FALSE(better(before, after));
    improved += better(after, before) ? 1 : 0;
  }
  EXPECT_GT(improved, 20);
}

TEST(Swarm, KeepsLimitsOnDevicesAndCrossings) {
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem free = random_problem(rng, 20 + seed);
    const Plan start = unfused_plan(free, rng);
    Constraints constraints = free.constraints();
    constraints.max_crossings = count_crossings(free.graph(), start);
    const Problem problem =
        make_problem(std::make_shared<const Graph>(free.graph()), std::make_shared<const Machine>(free.machine()),
                     explicit_costs(free), constraints)
            .value();
    const Plan found = best_plan(problem, start, {.evaluations = 400, .seed = seed}, 32);
    ASSERT_EQ(verify(problem, found), std::nullopt);
    improved += better(simulate(problem, found), simulate(problem, start)) ? 1 : 0;
  }
  EXPECT_GT(improved, 10);
}

TEST(Swarm, FindsDevicesAndOrderTogether) {
  // As in the test of the genetic search: c must come before a and b, or d ends at 8 or later.
  const Problem problem = toy_problem("a:1; b:1; e:1; f:1; c:1 -> d:6", "2 devices");
  Search search(problem, {.evaluations = 2000});
  Swarm(search, Rng(1), 64).improve(Plan{std::vector(problem.graph().num_ops(), DeviceId(0))}, 1.0);
  EXPECT_EQ(to_seconds(search.best_score().step_time), 7.0);
}

TEST(Swarm, EndsWhereNothingMayMove) {
  const Problem problem = toy_problem("a:1/- -> b:1/-", "2 devices");
  Search search(problem, {.evaluations = 50});
  Swarm(search, Rng(1), 8).improve(Plan{std::vector(problem.graph().num_ops(), DeviceId(0))}, 1.0);
  EXPECT_LE(search.evaluations(), 50U);
}

TEST(Swarm, IsWhatAutoGoesOnWithWhereBatchesHaveASize) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 60);
  const auto found = [&](std::size_t batch, int threads) {
    Search search(problem, {.evaluations = 3000, .threads = threads, .batch = batch});
    return AutoPlanner().plan(search).value();
  };
  EXPECT_EQ(found(64, 1), found(64, 2));
  EXPECT_EQ(found(64, 1), found(64, 1));
}

}  // namespace
}  // namespace berth
