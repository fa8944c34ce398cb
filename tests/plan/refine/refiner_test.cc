// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/refiner.h"

#include <gtest/gtest.h>

#include "plan/search/placement.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Two chains side by side; the best plan has one on each GPU.
constexpr std::string_view kTwoChains =
    "a0:9/1/1 -> a1:9/1/1 -> a2:9/1/1 -> a3:9/1/1; b0:9/1/1 -> b1:9/1/1 -> b2:9/1/1 -> b3:9/1/1";

TEST(Refiner, IsNeverWorseThanItsStart) {
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 20 + seed);
    Plan start = random_plan(problem, rng);
    start.fusions.clear();
    const Score before = simulate(problem, start);
    for (const bool once : {true, false}) {
      Search search(problem, {.evaluations = 300});
      Refiner refiner(search, Rng(seed));
      if (once) {
        const Plan plan = refiner.improve_once(start, 1.0);
        EXPECT_EQ(verify(problem, plan), std::nullopt);
        const Score after = simulate(problem, plan);
        EXPECT_FALSE(before.feasible && (!after.feasible || after.step_time > before.step_time));
      } else {
        refiner.improve(start, 1.0);
      }
      EXPECT_EQ(verify(problem, search.best_plan()), std::nullopt);
      EXPECT_FALSE(better(before, search.best_score()));
      EXPECT_LE(search.evaluations(), 300U + 1U);
      improved += better(search.best_score(), before) ? 1 : 0;
    }
  }
  EXPECT_GT(improved, 60);
}

TEST(Refiner, SplitsTwoChains) {
  const Problem problem = toy_problem(kTwoChains, kTwoGpus);
  for (const bool layers : {false, true}) {
    for (const bool priorities : {false, true}) {
      Search search(problem, {.evaluations = 2000});
      Refiner(search, Rng(1), {.layers = layers, .priorities = priorities})
          .improve(plan_on_one_device(problem, DeviceId{1}), 1.0);
      EXPECT_EQ(to_seconds(search.best_score().step_time), 4);
      EXPECT_LT(search.evaluations(), 1000U);  // the lower bound is reached
    }
  }
}

TEST(Refiner, TwoWalkersAreNeverWorseThanTheirStart) {
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 20 + 2 * seed);
    Plan start = random_plan(problem, rng);
    start.fusions.clear();
    const Score before = simulate(problem, start);
    Search search(problem, {.time_s = 0.5, .threads = 2});
    Refiner refiner(search, Rng(seed), {}, 2);
    const Plan once = refiner.improve_once(start, 0.5);
    ASSERT_EQ(verify(problem, once), std::nullopt);
    refiner.improve(once, 1.0);
    ASSERT_EQ(verify(problem, search.best_plan()), std::nullopt);
    EXPECT_EQ(search.best_score(), simulate(problem, search.best_plan()));
    EXPECT_FALSE(better(before, search.best_score()));
    EXPECT_FALSE(better(simulate(problem, once), search.best_score()));
    improved += better(search.best_score(), before) ? 1 : 0;
  }
  EXPECT_GT(improved, 10);
}

TEST(Refiner, TwoWalkersGoOnFromTheBetterOne) {
  const Problem problem = toy_problem(kTwoChains, kTwoGpus);
  Search search(problem, {.time_s = 100.0, .threads = 2});
  Refiner refiner(search, Rng(1), {}, 2);
  const Plan plan = refiner.improve_once(plan_on_one_device(problem, DeviceId{1}), 0.05);
  EXPECT_EQ(to_seconds(simulate(problem, plan).step_time), 4);  // whichever walker found it
  EXPECT_GT(search.evaluations(), 2U);                          // both starts count
}

TEST(Refiner, LeavesAProvedPlanAlone) {
  const Problem problem = toy_problem(kTwoChains, kTwoGpus);
  const Plan best = toy_plan(problem, "a0@gpu0 a1@gpu0 a2@gpu0 a3@gpu0 b0@gpu1 b1@gpu1 b2@gpu1 b3@gpu1");
  Search search(problem, {.evaluations = 2000});
  Refiner refiner(search, Rng(1));
  EXPECT_EQ(refiner.improve_once(best, 1.0), best);
  refiner.improve(best, 1.0);
  EXPECT_EQ(search.evaluations(), 2U);
}

TEST(Refiner, KeepsToItsShareOfTheBudget) {
  const Problem problem = toy_problem(kTwoChains, kTwoGpus);
  Search search(problem, {.evaluations = 1000}, Picoseconds{0});
  Refiner refiner(search, Rng(1));
  const Plan plan = refiner.improve_once(plan_on_one_device(problem, DeviceId{0}), 0.25);
  EXPECT_GE(search.evaluations(), 250U);
  EXPECT_LE(search.evaluations(), 260U);
  refiner.improve(plan, 0.5);
  EXPECT_GE(search.evaluations(), 500U);
  EXPECT_LE(search.evaluations(), 510U);
}

TEST(Refiner, TunesPrioritiesIfAskedTo) {
  // gpu0 takes s first, by its number, and keeps gpu1 waiting: 1 + 1 + 1 + 5 s. By rank l goes first.
  const Problem problem = toy_problem("s:-/1/-; l:-/1/- -> t:-/-/5", kTwoGpus);
  const Plan start = toy_plan(problem, "s@gpu0 l@gpu0 t@gpu1");
  const auto refined = [&](bool priorities) {
    Search search(problem, {.evaluations = 1000}, Picoseconds{0});
    Refiner(search, Rng(1), {.priorities = priorities}).improve(start, 1.0);
    EXPECT_LT(search.evaluations(), 20U);  // there is nothing to move
    return to_seconds(search.best_score().step_time);
  };
  EXPECT_EQ(refined(false), 8);
  EXPECT_EQ(refined(true), 7);
}

TEST(Refiner, CopesWithNothing) {
  const Problem problem = constrained_toy("", kTwoGpus, {});
  Search search(problem, {.evaluations = 100}, Picoseconds{-1});
  Refiner refiner(search, Rng(1));
  EXPECT_EQ(refiner.improve_once({}, 1.0), Plan());
  refiner.improve({}, 1.0);
  EXPECT_LT(search.evaluations(), 20U);
}

TEST(Anneal, SaysWhereItStarted) {
  const auto note = [](std::string_view graph) {
    const Problem problem = toy_problem(graph, kTwoGpus);
    Search search(problem, {.evaluations = 500});
    EXPECT_TRUE(AnnealPlanner().plan(search));
    return search.note();
  };
  EXPECT_EQ(note("a:9/2/1 -> b:9/2/1 -> c:9/2/1"), "annealed from one device");
  EXPECT_EQ(note(kTwoChains), "annealed from the layer rule");
}

}  // namespace
}  // namespace berth
