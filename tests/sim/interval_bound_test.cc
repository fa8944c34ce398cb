// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/interval_bound.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

TEST(IntervalBound, ThreeEqualOpsOnTwoLanesTakeTwoRounds) {
  // The work bound is 4.5. In 5 each op would cover all of [2, 3], where two lanes hold two.
  const std::array ops{WindowedOp{0, 3, 0}, WindowedOp{0, 3, 0}, WindowedOp{0, 3, 0}};
  EXPECT_EQ(interval_bound(ops, 2, 5, 1), 6);
  EXPECT_EQ(interval_bound(ops, 3, 3, 1), 3);
}

TEST(IntervalBound, SeesAJamInTheMidst) {
  // Two chains of 10 through ops of 4 that open at 3 and must be over at 7, and a loose op of 3 that opens at 2 with 2
  // behind it: with 10 in all, [3, 7] holds 4 + 4 + 2 on two lanes, with 11 it can be before or behind them.
  const std::array ops{WindowedOp{3, 4, 3}, WindowedOp{3, 4, 3}, WindowedOp{2, 3, 2}};
  EXPECT_EQ(interval_bound(ops, 2, 10, 1), 12);
}

TEST(IntervalBound, FallsOnTheGrid) {
  const std::array ops{WindowedOp{0, 4, 0}};
  EXPECT_EQ(interval_bound(ops, 1, 4, 4), 4);
  EXPECT_EQ(interval_bound(ops, 1, 5, 4), 8);  // what is known is never given up
  EXPECT_EQ(interval_bound({}, 1, 5, 4), 8);
}

// More ops than the interval bound looks at, so that the sums of work must be exact to prove it.
TEST(LowerBound, OfOneDeviceIsAllItsWork) {
  std::string text = "op0:0.1";
  for (int i = 1; i < 3000; ++i) text += fmt::format("; op{}:{}", i, 0.1 + 0.001 * i);
  for (const int lanes : {1, 3}) {
    const Problem problem = toy_problem(text, fmt::format("device gpu lanes={}", lanes));
    Picoseconds work = 0;
    for (const OpId op : problem.graph().ops()) work += problem.duration(op, DeviceId{0});
    EXPECT_EQ(lower_bound(problem)[BoundKind::kWork], (work + lanes - 1) / lanes);
  }
}

TEST(LowerBound, OfWholeSecondsIsWholeSeconds) {
  // Work alone says 10.5; no op is so long that a stretch of 11 must hold too much of it.
  std::string text = "op0:1";
  for (int i = 1; i < 21; ++i) text += fmt::format("; op{}:1", i);
  EXPECT_EQ(to_seconds(lower_bound(toy_problem(text, "2 devices")).value()), 11.0);
  // With an op of a quarter the grid is finer: 10.625 of work, rounded up to 10.75.
  EXPECT_EQ(to_seconds(lower_bound(toy_problem(text + "; last:0.25", "2 devices")).value()), 10.75);
}

TEST(LowerBound, NoRandomPlanUndercutsIt) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 3 + seed % 30);
    const Picoseconds bound = lower_bound(problem).value();
    for (int i = 0; i < 20; ++i) {
      Plan plan = random_plan(problem, rng);
      plan.fusions.clear();  // the bound with fusion is another
      ASSERT_GE(simulate(problem, plan).step_time, bound);
    }
  }
}

}  // namespace
}  // namespace berth
