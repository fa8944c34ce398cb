// SPDX-License-Identifier: Apache-2.0
// The simulator against the reference on thousands of random problems, and against itself: any number of threads, any
// history of the workspace, never below the lower bound.
#include <gtest/gtest.h>

#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/compare_timelines.h"
#include "support/random_problem.h"
#include "support/reference_simulator.h"

namespace berth {
namespace {

// Rounds that each make one problem of 1 to `most_ops` ops and simulate some plans with one workspace.
struct Rounds {
  std::uint64_t first_seed, last_seed;
  std::size_t least_ops, most_ops;
  int plans;
};

void expect_agreement(const Rounds& rounds) {
  for (std::uint64_t seed = rounds.first_seed; seed <= rounds.last_seed; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, rounds.least_ops + rng.below(rounds.most_ops - rounds.least_ops + 1));
    Simulator simulator(problem);
    for (int i = 0; i < rounds.plans; ++i) {
      const Plan plan = random_plan(problem, rng);
      ASSERT_EQ(verify(problem, plan).has_value(), false) << "seed " << seed << ", plan " << i;
      const auto found = difference(problem, simulator.run_with_timeline(plan), reference_simulate(problem, plan));
      ASSERT_FALSE(found) << "seed " << seed << ", plan " << i << ": " << *found << "\n" << describe(problem, plan);
    }
  }
}

TEST(SimulatorReference, AgreesOnTinyProblems) { expect_agreement({1, 4000, 1, 12, 2}); }
TEST(SimulatorReference, AgreesOnSmallProblems) { expect_agreement({10'001, 13'000, 5, 60, 2}); }
TEST(SimulatorReference, AgreesOnMiddlingProblems) { expect_agreement({20'001, 20'100, 100, 300, 2}); }
TEST(SimulatorReference, AgreesOnLargeProblems) { expect_agreement({30'001, 30'008, 1500, 2000, 1}); }

TEST(SimulatorReference, AScoreIsTheSameWithAndWithoutATimeline) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    const Plan plan = random_plan(problem, rng);
    Simulator simulator(problem);
    const Score score = simulator.run(plan);
    EXPECT_EQ(score, simulator.run_with_timeline(plan).score) << "seed " << seed;
    EXPECT_EQ(score, simulate(problem, plan)) << "seed " << seed;
  }
}

TEST(SimulatorReference, AWorkspaceRemembersNothing) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 50);
    const Plan one = random_plan(problem, rng), two = random_plan(problem, rng);
    const Score alone_one = Simulator(problem).run(one), alone_two = Simulator(problem).run(two);
    Simulator shared(problem);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(shared.run(one), alone_one) << "seed " << seed;
      EXPECT_EQ(shared.run(two), alone_two) << "seed " << seed;
    }
  }
}

TEST(SimulatorReference, NoPlanIsFasterThanTheLowerBound) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(60));
    const Picoseconds bound = lower_bound(problem).value(), fused_bound = lower_bound(problem, true).value();
    EXPECT_LE(fused_bound, bound) << "seed " << seed;
    for (int i = 0; i < 4; ++i) {
      Plan plan = random_plan(problem, rng);
      EXPECT_LE(fused_bound, simulate(problem, plan).step_time) << "seed " << seed << ", plan " << i;
      plan.fusions.clear();
      EXPECT_LE(bound, simulate(problem, plan).step_time) << "seed " << seed << ", plan " << i;
    }
  }
}

TEST(SimulatorReference, BetterPrefersFeasibleThenFastThenLessOver) {
  const auto score = [](bool feasible, Picoseconds time, Bytes over) {
    Score result;
    result.step_time = time;
    result.feasible = feasible;
    if (!feasible) {
      result.overflow = Overflow{};
      result.overflow->over = over;
    }
    return result;
  };
  EXPECT_TRUE(better(score(true, 9, 0), score(false, 1, 1)));
  EXPECT_FALSE(better(score(false, 1, 1), score(true, 9, 0)));
  EXPECT_TRUE(better(score(true, 1, 0), score(true, 2, 0)));
  EXPECT_TRUE(better(score(false, 9, 1), score(false, 1, 2)));
  EXPECT_TRUE(better(score(false, 1, 2), score(false, 2, 2)));
  EXPECT_FALSE(better(score(true, 1, 0), score(true, 1, 0)));
}

}  // namespace
}  // namespace berth
