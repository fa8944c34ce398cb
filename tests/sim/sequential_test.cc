// SPDX-License-Identifier: Apache-2.0
// Machines without overlap (docs/simulator.md, rule 8): cases to be checked on paper, and the reference on random ones.
#include <gtest/gtest.h>

#include "sim/bounds/bounds.h"
#include "sim/critical_path.h"
#include "sim/evaluator.h"
#include "sim/simulator.h"
#include "sim/timed_simulator.h"
#include "support/compare_timelines.h"
#include "support/hand_case.h"
#include "support/random_problem.h"
#include "support/reference_simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

constexpr std::string_view kPair = "2 devices, 1 s per edge; no overlap, 1";

TEST(Sequential, ARegionPaysItsCostThenItsTransfersThenItsOps) {
  expect_on_paper({.graph = "a:2 -> b:3; a -> c:3; b -> d:1; c -> d",
                   .machine = "2 devices, 1 s per edge; no overlap, 10",
                   .plan = "c@1 d@1",
                   .timeline = "a@0 10-12 | b@0 12-15 | a>1 25-26 | b>1 26-27 | c@1 27-30 | d@1 30-31",
                   .peaks = "0:2 1:3",
                   .queues = "0>1 2s 2B | 1>0 0s 0B"});
}

TEST(Sequential, ARegionThatWaitsForItselfIsSplit) {
  expect_on_paper({.graph = "a:1 -> b:1 -> c:1; a -> c",
                   .machine = kPair,
                   .plan = "b@1",
                   .timeline = "a@0 1-2 | a>1 3-4 | b@1 4-5 | b>0 6-7 | c@0 7-8"});
}

TEST(Sequential, ARegionThatWaitsForAnotherOnlyIsNot) {
  expect_on_paper({.graph = "a:1 -> b:1; x:1 -> b",
                   .machine = kPair,
                   .plan = "x@1",
                   .timeline = "x@1 1-2 | x>0 3-4 | a@0 4-5 | b@0 5-6"});
}

TEST(Sequential, RegionsThatWaitForEachOtherAreSplitThoughNoOpDoes) {
  // {a b c} needs y, {x y z} needs a: b and c, x and z are one change of region deep.
  expect_on_paper({.graph = "a:1 -> c:1; b:1 -> c; a -> x:1 -> z:1; y:1 -> z; y -> b",
                   .machine = kPair,
                   .plan = "x@1 y@1 z@1",
                   .timeline = "a@0 1-2 | y@1 3-4 | y>0 5-6 | b@0 6-7 | c@0 7-8 | a>1 9-10 | x@1 10-11 | z@1 11-12"});
}

TEST(Sequential, AControlEdgeOrdersRegionsAndCostsNothing) {
  expect_on_paper({.graph = "a:1; b:1 => a", .machine = kPair, .plan = "b@1", .timeline = "b@1 1-2 | a@0 3-4"});
  expect_on_paper({.graph = "a:1; b:1 => a", .machine = kPair, .plan = "", .timeline = "b@0 1-2 | a@0 2-3"});
}

TEST(Sequential, ATensorIsSentOncePerDevice) {
  expect_on_paper({.graph = "a:1 -> b:1; a -> c:1",
                   .machine = kPair,
                   .plan = "b@1 c@1",
                   .timeline = "a@0 1-2 | a>1 3-4 | b@1 4-5 | c@1 6-7"});
}

TEST(Sequential, ConstantsFollowTheirConsumersAndInputsAreSent) {
  expect_on_paper({.graph = "w:param:4B -> v:view:4B -> a:1; x:input:2B -> a",
                   .machine = "2 devices, 1 s per byte; no overlap, 1",
                   .plan = "a@1",
                   .timeline = "x>1 1-3 | a@1 3-4",
                   .peaks = "0:6 1:7"});
}

TEST(Sequential, LanesMakeNoDifference) {
  expect_on_paper({.graph = "a:1 -> b:1; a -> c:1",
                   .machine = "device gpu lanes=2; no overlap, 0",
                   .plan = "",
                   .timeline = "a@gpu 0-1 | b@gpu 1-2 | c@gpu 2-3"});
}

TEST(Sequential, ARouteIsTakenLinkByLink) {
  expect_on_paper({.graph = "a:1:2B -> b:1",
                   .machine = "device cpu; device g0; device g1; link cpu g0 rate=1; link cpu g1 rate=2; no overlap, 0",
                   .plan = "a@g0 b@g1",
                   .timeline = "a@g0 0-1 | a>g1 1-3 | a>g1 3-4 | b@g1 4-5"});
}

void expect_sequential_agreement(std::uint64_t first_seed, std::uint64_t last_seed, std::size_t most_ops) {
  for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
    Rng rng(seed);
    const Execution execution{.overlap = false, .region_cost_s = static_cast<double>(seed % 3) * 1e-12};
    const Problem problem = random_problem(rng, 1 + rng.below(most_ops), execution);
    Simulator simulator(problem);
    for (int i = 0; i < 2; ++i) {
      const Plan plan = random_plan(problem, rng);
      const Timeline timeline = simulator.run_with_timeline(plan);
      const auto found = difference(problem, timeline, reference_simulate(problem, plan));
      ASSERT_FALSE(found) << "seed " << seed << ", plan " << i << ": " << *found << "\n" << describe(problem, plan);
      ASSERT_EQ(timeline.score, simulator.run(plan)) << "seed " << seed;
    }
  }
}

TEST(Sequential, AgreesWithTheReferenceOnTinyProblems) { expect_sequential_agreement(1, 3000, 12); }
TEST(Sequential, AgreesWithTheReferenceOnSmallProblems) { expect_sequential_agreement(10'001, 10'600, 50); }
TEST(Sequential, AgreesWithTheReferenceOnMiddlingProblems) { expect_sequential_agreement(20'001, 20'020, 200); }

TEST(Sequential, NoPlanIsFasterThanTheLowerBoundNorThanItsParts) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40), {.overlap = false, .region_cost_s = 1e-12});
    const Picoseconds bound = lower_bound(problem).value(), fused_bound = lower_bound(problem, true).value();
    Plan plan = random_plan(problem, rng);
    EXPECT_LE(fused_bound, simulate(problem, plan).step_time) << "seed " << seed;
    plan.fusions.clear();
    const Score score = simulate(problem, plan);
    EXPECT_LE(bound, score.step_time) << "seed " << seed;
    Picoseconds busy = 0;
    for (const DeviceUse& use : score.devices) busy += use.busy;
    EXPECT_LE(busy, score.step_time) << "seed " << seed;
  }
}

TEST(Sequential, BoundedRunsAndBasesChangeNothing) {
  Rng rng(7);
  const Problem problem = random_problem(rng, 40, {.overlap = false});
  const auto evaluator = make_single_evaluator(problem);
  for (int i = 0; i < 20; ++i) {
    const Plan plan = random_plan(problem, rng);
    const Score score = simulate(problem, plan);
    evaluator->rebase(random_plan(problem, rng));
    EXPECT_EQ(evaluator->evaluate_bounded(plan, score.step_time - 1), nullptr);
    const Score* bounded = evaluator->evaluate_bounded(plan, score.step_time);
    ASSERT_NE(bounded, nullptr);
    EXPECT_EQ(*bounded, score);
  }
}

TEST(Sequential, TimesOfOpsAreThoseOfTheTimeline) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40), {.overlap = false, .region_cost_s = 1e-12});
    TimedSimulator timed(problem);
    OpTimes times;
    for (int i = 0; i < 3; ++i) {
      const Plan plan = random_plan(problem, rng);
      const Timeline timeline = simulate_timeline(problem, plan);
      EXPECT_EQ(timed.run(plan, times), timeline.score) << "seed " << seed;
      EXPECT_EQ(times.ready, timeline.op_ready) << "seed " << seed;
      EXPECT_EQ(times.end, timeline.op_end) << "seed " << seed;
    }
  }
}

TEST(Sequential, TheCriticalPathIsAllThereIs) {
  const Problem problem = toy_problem("a:1 -> b:2", kPair);
  const Plan plan = toy_plan(problem, "b@1");
  const auto path = critical_path(problem, plan, simulate_timeline(problem, plan));
  ASSERT_EQ(path.size(), 3u);
  using Why = CriticalStep::Why;
  EXPECT_EQ(path[0].why, Why::kStart);
  EXPECT_TRUE(path[1].is_transfer);
  EXPECT_EQ(path[2].why, Why::kInput);
  EXPECT_EQ(path[2].end, to_picoseconds(6.0));
}

TEST(Sequential, ThousandsOfAlternatingOpsTakeNoTimeToSpeakOf) {
  std::string text = "op0:1";
  for (int i = 1; i < 4000; ++i) text += fmt::format("; op{} -> op{}:1", i - 1, i);
  for (int i = 7; i < 4000; i += 3) text += fmt::format("; op{} -> op{}", i - 7, i);
  const Problem problem = toy_problem(text, kPair);
  Plan plan = toy_plan(problem, "");
  for (std::size_t op = 0; op < plan.device_of.size(); ++op) plan.device_of[op] = DeviceId(op / 2 % 2);
  const Score score = simulate(problem, plan);
  EXPECT_GT(score.step_time, to_picoseconds(4000.0 + 2000.0));  // ops, and a cost for every pair of them
}

}  // namespace
}  // namespace berth
