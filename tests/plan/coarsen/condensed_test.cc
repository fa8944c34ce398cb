// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/condensed.h"

#include <gtest/gtest.h>

#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

Condensed condensed(const Problem& whole, double short_op_s) {
  std::optional<Condensed> made = Condensed::make(whole, to_picoseconds(short_op_s));
  EXPECT_TRUE(made);
  return *std::move(made);
}

std::string timeline_text(const Problem& problem, std::string_view plan) {
  return to_text(problem, simulate_timeline(problem, toy_plan(problem, plan)));
}

TEST(Condensed, AClusterIsOneOp) {
  const Problem whole = toy_problem("a:9:4B -> b:1:2B -> c:1:3B -> d:5; a -> e:5; b -> e", "2 devices, 1 s per byte");
  const Condensed made = condensed(whole, 1);
  // What a makes is read by e as well, and b's by c and e; c's by d alone.
  EXPECT_EQ(timeline_text(made.problem(), "a@0 d@1 e@0"), "a@0 0-11 | a.2>1 11-14 | e@0 11-16 | d@1 14-19");
  EXPECT_EQ(made.problem().graph().num_ops(), 3U);
}

TEST(Condensed, PlansGoThereAndBack) {
  const Problem whole = toy_problem("a:9:4B -> b:1:2B; a -> v:view:4B -> e:5; b -> f:5:2B", "2 devices, 1 s per byte");
  const Condensed made = condensed(whole, 1);
  const Plan plan = toy_plan(made.problem(), "a@0!3 e@1!2 f@0!1");
  const Plan expanded = made.expand(plan);
  EXPECT_EQ(plan_text(whole, expanded), "a@0 b@0 v@1 e@1 f@0");
  EXPECT_EQ(made.condense(expanded), plan);
  // What has joined an op comes before all else.
  EXPECT_EQ(expanded.priority_of(OpId{0}), 3.0);
  EXPECT_GT(expanded.priority_of(OpId{1}), 3.0);
  EXPECT_TRUE(made.expand({.device_of = plan.device_of}).priority.empty());
}

TEST(Condensed, WeightsHoldWhatTheyHeldAndComeBeforeTheirUpdates) {
  const Problem whole = toy_problem(
      "optimizer adam; w:param:8B -> t:view:8B -> a:9:4B -> s:1:4B -> g:9:8B -> u:2:none:update=w; w -> u; w -> "
      "b:9:none",
      "2 devices, 1 s per byte");
  const Condensed made = condensed(whole, 1);
  const Plan plan = toy_plan(made.problem(), "w@0 a@1 b@1 g@1 u@0");
  const Score score = simulate(made.problem(), plan), expanded = simulate(whole, made.expand(plan));
  EXPECT_EQ(made.problem().resident_bytes(OpId{0}), 24);
  EXPECT_EQ(score.step_time, expanded.step_time);
  EXPECT_EQ(score.devices[0].peak, expanded.devices[0].peak);
}

TEST(Condensed, ConstraintsAreThoseOfTheWhole) {
  Constraints constraints;
  constraints.pins = {{OpId{0}, DeviceId{1}}};
  constraints.together = {{OpId{2}, OpId{3}}};
  constraints.reserve = {3, 0};
  constexpr std::string_view text = "a:9 -> c:9; a -> d:9; b:1 -> c";
  const Problem whole = constrained_toy(text, "2 devices", constraints);
  const Condensed made = condensed(whole, 1);
  const Problem& problem = made.problem();
  ASSERT_EQ(problem.graph().num_ops(), 4U);
  for (const OpId op : problem.graph().ops()) EXPECT_EQ(problem.allowed(op), whole.allowed(op));
  EXPECT_EQ(problem.num_units(), 3U);
  EXPECT_EQ(problem.capacity(DeviceId{0}), whole.capacity(DeviceId{0}));
  constraints.max_devices = 1;
  EXPECT_FALSE(Condensed::make(constrained_toy(text, "2 devices", constraints), to_picoseconds(1)));
}

// Whatever the problem: the condensed one exists, plans go there and back, and all are legal.
TEST(Condensed, HoldsForRandomProblems) {
  std::size_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem whole = random_problem(rng, 10 + 2 * seed);
    const std::optional<Condensed> made = Condensed::make(whole, Picoseconds{2});
    ASSERT_TRUE(made);
    fewer += made->problem().graph().num_ops() < whole.graph().num_ops() ? 1 : 0;
    const Plan plan = random_plan(made->problem(), rng);
    Plan unfused = plan;
    unfused.fusions.clear();
    const Plan expanded = made->expand(unfused);
    EXPECT_EQ(verify(whole, expanded), std::nullopt);
    const Plan back = made->condense(expanded);
    EXPECT_EQ(verify(made->problem(), back), std::nullopt);
    EXPECT_EQ(back, unfused);
    EXPECT_EQ(verify(whole, made->expand(made->condense(expanded))), std::nullopt);
  }
  EXPECT_GT(fewer, 30U) << "else this test shows little";
}

// With nothing short and no view that is nobody's it is the same problem.
TEST(Condensed, IsExactWhereNothingJoins) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem whole = random_problem(rng, 40);
    const Condensed made = *Condensed::make(whole, Picoseconds{-1});
    if (made.problem().graph().num_ops() != whole.graph().num_ops()) continue;
    Plan plan = random_plan(made.problem(), rng);
    plan.fusions.clear();
    EXPECT_EQ(simulate(made.problem(), plan).step_time, simulate(whole, made.expand(plan)).step_time);
  }
}

}  // namespace
}  // namespace berth
