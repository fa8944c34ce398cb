// SPDX-License-Identifier: Apache-2.0
// Order for a given placement: levels and methods on paper.
#include "plan/order/schedule.h"

#include <gtest/gtest.h>

#include "plan/order/ranks.h"
#include "plan/planners.h"
#include "plan/toys.h"
#include "problem/fusion.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

std::vector<double> levels_s(const Problem& problem, std::string_view plan) {
  std::vector<double> levels = bottom_levels(problem, toy_plan(problem, plan));
  for (double& level : levels) level = to_seconds(static_cast<Picoseconds>(level));
  return levels;
}

TEST(BottomLevels, CountTransfersOfThePlacement) {
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:4", "2 devices, 1 s per edge");
  EXPECT_EQ(levels_s(problem, ""), (std::vector<double>{6, 3, 4}));
  EXPECT_EQ(levels_s(problem, "c@1"), (std::vector<double>{7, 3, 4}));
}

// Together a and b take their arithmetic, 1 + 2 s instead of 5 and 4, and e waits for both.
TEST(BottomLevels, AGroupIsOneOp) {
  const Problem problem = toy_problem("a:5:compute=1 -> b:4:compute=2 -> c:3; d:1 -> b; a => e:1", "device gpu");
  EXPECT_EQ(levels_s(problem, ""), (std::vector<double>{12, 7, 3, 8, 1}));
  EXPECT_EQ(levels_s(problem, "{a b}"), (std::vector<double>{6, 6, 3, 7, 1}));
  EXPECT_EQ(to_seconds(fused_duration(problem, DeviceId{0}, toy_plan(problem, "{a b}").fusions.front())), 3);
}

// c has the longest way to its end but stands behind b: FIFO takes 1 + 3 + 1 + 4 s, the critical path 1 + 1 + 4 s.
constexpr std::string_view kFork = "a:1 -> b:3; a -> c:1 -> d:4";
constexpr std::string_view kTwo = "2 devices";

double step_s(ScheduleMethod method, std::string_view start, std::uint64_t evaluations) {
  const Problem problem = toy_problem(kFork, kTwo);
  Search search(problem, {.evaluations = evaluations});
  const Plan given = toy_plan(problem, start);
  const Plan plan = schedule(search, given, method);
  EXPECT_EQ(plan.device_of, given.device_of);
  EXPECT_EQ(plan.fusions, given.fusions);
  return to_seconds(simulate(problem, plan).step_time);
}

TEST(Schedule, MethodsOnAFork) {
  const std::string_view kPlaced = "d@1 b@0!9";
  EXPECT_EQ(step_s(ScheduleMethod::kKeep, kPlaced, 100), 9);
  EXPECT_EQ(step_s(ScheduleMethod::kFifo, kPlaced, 100), 9);
  EXPECT_EQ(step_s(ScheduleMethod::kCriticalPath, kPlaced, 100), 6);
  EXPECT_EQ(step_s(ScheduleMethod::kRandom, kPlaced, 100), 6);
  EXPECT_EQ(step_s(ScheduleMethod::kSearch, kPlaced, 100), 6);
}

// Device 0 has 25 s of work in x, X, z and y. FIFO runs X before y, which keeps Y waiting: 39 s. By the critical path X
// comes even sooner: 35 s. Best is x, z, y, X, with Y beside X.
TEST(Schedule, SearchFindsWhatNoRuleDoes) {
  const Problem problem = toy_problem("x:2 -> X:17; z:4; w:4 -> y:2 -> Y:14", kTwo);
  const auto step_s = [&](ScheduleMethod method) {
    Search search(problem, {.evaluations = 500});
    return to_seconds(simulate(problem, schedule(search, toy_plan(problem, "w@1 Y@1"), method)).step_time);
  };
  EXPECT_EQ(step_s(ScheduleMethod::kFifo), 39);
  EXPECT_EQ(step_s(ScheduleMethod::kCriticalPath), 35);
  EXPECT_EQ(step_s(ScheduleMethod::kSearch), 25);
}

TEST(Schedule, SearchIsNeverWorseThanTheRules) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    const Plan plan = random_plan(problem, rng);
    const auto score_of = [&](ScheduleMethod method) {
      Search search(problem, {.evaluations = 200, .seed = seed});
      const Plan ordered = schedule(search, plan, method);
      EXPECT_FALSE(verify(problem, ordered));
      EXPECT_EQ(ordered.device_of, plan.device_of);
      EXPECT_EQ(ordered.fusions, plan.fusions);
      EXPECT_LE(search.evaluations(), 202U);
      return simulate(problem, ordered);
    };
    const Score found = score_of(ScheduleMethod::kSearch);
    for (const ScheduleMethod rule : {ScheduleMethod::kKeep, ScheduleMethod::kFifo, ScheduleMethod::kCriticalPath}) {
      EXPECT_FALSE(better(score_of(rule), found)) << "seed " << seed;
    }
  }
}

TEST(Schedule, OneEvaluationIsEnoughForAPlan) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    const Plan plan = [&] {
      Search search(toy.problem, {.evaluations = 1});
      return find_classical_planner("single")->make()->plan(search).value();
    }();
    for (const ScheduleInfo& info : schedule_methods()) {
      Search search(toy.problem, {.evaluations = 1});
      EXPECT_FALSE(verify(toy.problem, schedule(search, plan, info.method))) << info.name;
      EXPECT_LE(search.evaluations(), 3U) << info.name;
    }
  }
}

}  // namespace
}  // namespace berth
