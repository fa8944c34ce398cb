// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/genetic.h"

#include <gtest/gtest.h>

#include "plan/baselines/expert.h"
#include "plan/baselines/simple_planners.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

TEST(Genetic, FindsDevicesAndOrderTogether) {
  // Two devices, no transfer time. c leads to the long d, so it must come before a and b: 1 + 6 = 7. With a or b first
  // d ends at 8 or later, and so does everything on one device.
  const Problem problem = toy_problem("a:1; b:1; e:1; f:1; c:1 -> d:6", "2 devices");
  Search search(problem, {.evaluations = 400});
  ASSERT_TRUE(GeneticPlanner().plan(search));
  EXPECT_EQ(to_seconds(search.best_score().step_time), 7.0);
  EXPECT_NE(search.note().find("better than the plans they began with"), std::string::npos) << search.note();
}

TEST(Genetic, StopsAtTheLowerBound) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  Search search(problem, {.time_s = 1e6});
  EXPECT_TRUE(GeneticPlanner().plan(search));  // a chain: any device is optimal
  EXPECT_LE(search.evaluations(), 4U);
}

TEST(Genetic, IsNoWorseThanTheSeedsAndTheSameForAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    Search single(problem, {}), expert(problem, {});
    ASSERT_TRUE(SinglePlanner().plan(single));
    ASSERT_TRUE(ExpertPlanner().plan(expert));
    Search one(problem, {.evaluations = 500, .seed = seed, .threads = 1});
    Search two(problem, {.evaluations = 500, .seed = seed, .threads = 2});
    const Plan plan = GeneticPlanner().plan(one).value();
    EXPECT_EQ(plan, GeneticPlanner().plan(two).value());
    EXPECT_FALSE(better(single.best_score(), one.best_score()));
    EXPECT_FALSE(better(expert.best_score(), one.best_score()));
  }
}

TEST(Genetic, HonoursALimitOnCrossings) {
  Constraints constraints;
  constraints.max_crossings = 1;
  const Problem problem = constrained_toy("a:1 -> b:4 -> d:1; a -> c:4 -> d; e:4", kTwoGpus, constraints);
  const Plan plan = [&] {
    Search search(problem, {.evaluations = 300});
    return GeneticPlanner().plan(search).value();
  }();
  EXPECT_FALSE(verify(problem, plan));
  EXPECT_LT(to_seconds(simulate(problem, plan).step_time), 14.0);  // all on one device; e elsewhere crosses nothing
}

}  // namespace
}  // namespace berth
