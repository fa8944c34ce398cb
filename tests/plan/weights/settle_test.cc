// SPDX-License-Identifier: Apache-2.0
#include "plan/weights/settle.h"

#include <gtest/gtest.h>

#include "plan/auto.h"
#include "plan/baselines/expert.h"
#include "plan/baselines/simple_planners.h"
#include "plan/toys.h"
#include "problem/weights.h"
#include "sim/simulator.h"

namespace berth {
namespace {

template <typename T>
std::string placed_by(const Problem& problem) {
  Search search(problem, {.evaluations = 200});
  const Plan plan = T().plan(search).value();
  return plan_text(problem, plan);
}

// w is read on gpu1, where b is pinned. Sent from gpu0 it takes 1 s, while b needs it at once.
TEST(Settle, SingleHasTheWeightsOfPinnedOpsWithThem) {
  Constraints pinned;
  pinned.pins = {{OpId{3}, DeviceId{2}}};
  const Problem problem =
      constrained_toy("a:9/1/5:4B; w:param:8B; c:9/1/5; b:9/1/1; a -> b -> c; w -> b", kTwoGpus, pinned);
  EXPECT_EQ(placed_by<SinglePlanner>(problem), "a@gpu0 w@gpu1 c@gpu0 b@gpu1");
  EXPECT_EQ(placed_by<AutoPlanner>(problem), "a@gpu0 w@gpu1 c@gpu0 b@gpu1");
}

// b is pinned to a device whose memory holds its weight, or the output of a, which is there later, but not both at all
// times.
TEST(Settle, AWeightThatDoesNotFitWithItsReaderStaysAway) {
  Constraints pinned;
  pinned.pins = {{OpId{1}, DeviceId{1}}, {OpId{2}, DeviceId{1}}};
  const Problem problem = constrained_toy("w:param:60B; b:1:1B; a:1:60B:out; c:1; w -> b; b -> a; b -> c",
                                          "device cpu; device gpu memory=100B; link cpu gpu rate=60", pinned);
  Search search(problem, {.evaluations = 100});
  const Plan plan = SinglePlanner().plan(search).value();
  EXPECT_TRUE(simulate(problem, plan).feasible);
  EXPECT_EQ(plan_text(problem, plan), "w@cpu b@gpu a@gpu c@cpu");
  EXPECT_EQ(plan_text(problem, with_settled_weights(problem, plan)), "w@gpu b@gpu a@gpu c@cpu");
}

// Without links that cost anything, where weights are makes no difference to the step: bytes decide.
TEST(Settle, TiesGoToFewerBytes) {
  const Problem problem = toy_problem("a:2:1B -> b:2; w:param:50B -> a; v:param:60B -> b; c:4", "2 devices");
  Search search(problem, {.evaluations = 1000});
  const Plan plan = settle_for_free(search, toy_plan(problem, "a@0 b@0 c@1 w@1 v@1"));
  EXPECT_EQ(plan_text(problem, plan), "a@0 b@0 w@0 v@0 c@1");
}

TEST(Settle, NeverForTime) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 25);
    const Plan plan = random_plan(problem, rng);
    Search search(problem, {.evaluations = 5000});
    const Plan settled = settle_for_free(search, plan);
    ASSERT_EQ(verify(problem, settled), std::nullopt);
    const Score before = simulate(problem, plan), after = simulate(problem, settled);
    EXPECT_FALSE(better(before, after)) << seed;
    EXPECT_LE(weights_that_cross(problem.graph(), settled).bytes, weights_that_cross(problem.graph(), plan).bytes);
  }
}

}  // namespace
}  // namespace berth
