// SPDX-License-Identifier: Apache-2.0
// Runs of the batch simulator's loop that begin at a moment of a base give the times and peaks of full runs.
#include "sim/batch/base_run.h"

#include <gtest/gtest.h>

#include "sim/batch/compact.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "support/batch_plans.h"
#include "support/nearby_plan.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// A problem, its loop, and a base of it.
struct Recorded {
  Problem problem;
  batch::CompactProblem compact;
  batch::HostRun run;
  batch::BaseRun base;

  explicit Recorded(Problem of)
      : problem(std::move(of)),
        compact(std::move(batch::CompactProblem::make(problem)).value()),
        run(compact),
        base(compact, batch::host_capacities(compact)) {}

  bool record(const Plan& plan) {
    batch::Ranking ranking;
    ranking.set(compact.view(), plan.priority);
    return base.record(device_bytes(plan), ranking);
  }
};

// What was seen on the way, so that nothing goes untested.
struct Seen {
  int at_start = 0, later = 0, infeasible_bases = 0, infeasible_plans = 0, feasible_plans = 0;
};

// Several bases of a problem in one recorder, each with plans near it.
void expect_near_runs(std::uint64_t seed, std::size_t most_ops, Seen& seen) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Rng rng(seed);
  Recorded near(random_problem(rng, 1 + rng.below(most_ops)));
  Simulator simulator(near.problem);
  for (int round = 0; round < 2; ++round) {
    const Plan start = unfused_plan(near.problem, rng);
    ASSERT_TRUE(near.record(start));
    for (int i = 0; i < 8; ++i) {
      const Plan plan = i == 0 ? start : nearby_plan(near.problem, start, rng);
      const Score expected = simulator.run(plan);
      ASSERT_TRUE(near.run.run_from(near.base, device_bytes(plan), plan.priority));
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, near.run)) << i << "\n" << describe(near.problem, plan);
      ++(near.run.moment() > 0 ? seen.later : seen.at_start);
      if (i == 0) seen.infeasible_bases += expected.feasible ? 0 : 1;
      ++(expected.feasible ? seen.feasible_plans : seen.infeasible_plans);
    }
  }
}

void expect_near_runs(std::uint64_t first_seed, std::uint64_t last_seed, std::size_t most_ops, double least_share) {
  Seen seen;
  for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_near_runs(seed, most_ops, seen));
  }
  EXPECT_GT(seen.later, least_share * seen.at_start) << "nothing is skipped";
  EXPECT_GT(seen.infeasible_bases, 0);
  EXPECT_GT(seen.infeasible_plans, 0);
  EXPECT_GT(seen.feasible_plans, 0);
}

TEST(BaseRun, NearRunsOfTinyProblemsAreExact) { expect_near_runs(1, 2500, 12, 0.1); }
TEST(BaseRun, NearRunsOfSmallProblemsAreExact) { expect_near_runs(10'001, 12'000, 60, 0.2); }
TEST(BaseRun, NearRunsOfMiddlingProblemsAreExact) { expect_near_runs(20'001, 20'150, 300, 0.2); }
TEST(BaseRun, NearRunsOfLargeProblemsAreExact) { expect_near_runs(30'001, 30'010, 2000, 0.2); }

// The first moment is before everything, and the last ones of some are behind it.
TEST(BaseRun, EveryMomentOfABaseLeadsToItsEnd) {
  int begun_at_the_end = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Recorded near(random_problem(rng, 1 + rng.below(60)));
    const Plan plan = unfused_plan(near.problem, rng);
    ASSERT_TRUE(near.record(plan));
    const Score expected = simulate(near.problem, plan);
    const std::uint32_t count = near.base.snapshots().count;
    ASSERT_EQ(near.base.share_of(0), 0);
    for (std::uint32_t moment = 0; moment < count; ++moment) {
      ASSERT_TRUE(near.run.run_from(near.base, moment, device_bytes(plan), plan.priority));
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, near.run)) << "moment " << moment;
    }
    ASSERT_TRUE(near.run.run_from(near.base, device_bytes(plan), plan.priority));
    EXPECT_EQ(near.run.moment(), count - 1) << "nothing has moved";
    begun_at_the_end += near.base.share_of(count - 1) == 1 ? 1 : 0;
  }
  EXPECT_GT(begun_at_the_end, 10);
}

// 200 ops that are ready at once: more than a ring of 64 holds.
TEST(BaseRun, ABaseThatOutgrowsItsRoomIsNone) {
  std::string fan = "root:1 -> op0:1";
  for (int i = 1; i < 200; ++i) fan += "; root -> op" + std::to_string(i) + ":1";
  Recorded near(toy_problem(fan, "2 devices, 1 s per edge"));
  const std::vector<std::uint8_t> together(201, 0);
  batch::Capacities room = batch::host_capacities(near.compact);
  room.ready = 64;
  batch::BaseRun base(near.compact, room);
  EXPECT_FALSE(base.record(together, {}));
  EXPECT_FALSE(base.is_of(together, {}));
  batch::HostRun run(near.compact, room);
  EXPECT_FALSE(run.run(together, {}));
  base.set_capacities(batch::host_capacities(near.compact));
  ASSERT_TRUE(base.record(together, {}));
  EXPECT_TRUE(base.is_of(together, {}));
  EXPECT_FALSE(run.run_from(base, 0, together, {})) << "it still has little room itself";
  ASSERT_TRUE(near.run.run_from(base, together, {}));
  EXPECT_EQ(near.run.step_time(), batch::Time{201'000'000'000'000});
}

// A chain of 100 ops of 1 s.
TEST(BaseRun, WhatMovesLateBeginsLate) {
  std::string chain = "op0:1";
  for (int i = 1; i < 100; ++i) chain += " -> op" + std::to_string(i) + ":1";
  Recorded near(toy_problem(chain, "2 devices, 1 s per edge"));
  std::vector<std::uint8_t> devices(100, 0);
  ASSERT_TRUE(near.base.record(devices, {}));
  ASSERT_GT(near.base.snapshots().count, 20U);
  devices[50] = 1;
  ASSERT_TRUE(near.run.run_from(near.base, devices, {}));
  EXPECT_EQ(near.run.step_time(), batch::Time{102'000'000'000'000}) << "one op elsewhere: there and back";
  EXPECT_NEAR(near.base.share_of(near.run.moment()), 0.5, 0.05);
  devices[0] = 1;
  ASSERT_TRUE(near.run.run_from(near.base, devices, {}));
  EXPECT_EQ(near.run.moment(), 0U) << "the first op has moved";
  EXPECT_EQ(near.run.step_time(), batch::Time{103'000'000'000'000});
}

}  // namespace
}  // namespace berth
