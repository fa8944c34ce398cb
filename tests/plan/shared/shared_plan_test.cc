// SPDX-License-Identifier: Apache-2.0
#include "plan/shared/shared_plan.h"

#include <gtest/gtest.h>

#include "plan/search/placement.h"
#include "plan/shared/shared_evaluator.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::string_view kTwoDevices = "2 devices, 1 s per edge";

// Side by side b and c take 1 + 1 + t seconds (with a transfer), on one device 1 + 2 t: for short ones the latter is
// best.
std::vector<Problem> short_and_long() {
  return {toy_problem("a:1 -> b:0.5; a -> c:0.5", kTwoDevices), toy_problem("a:1 -> b:4; a -> c:4", kTwoDevices)};
}

TEST(SharedPlan, HasTheLeastWorstRegret) {
  const std::vector<Problem> problems = short_and_long();
  const std::vector<Plan> starts{plan_on_one_device(problems[0], DeviceId{0}), toy_plan(problems[1], "a@0 b@0 c@1")};
  const auto found = plan_for_all(problems, starts, {.budget = {.evaluations = 500}});
  ASSERT_TRUE(found) << found.error().message;
  // Apart: 2.5 s instead of 2 s, and 6 s. Together: 2 s, and 9 s instead of 6 s.
  EXPECT_EQ(to_seconds(found->scores[0].step_time), 2.5);
  EXPECT_EQ(to_seconds(found->scores[1].step_time), 6.0);
  EXPECT_EQ(to_seconds(found->own_scores[0].step_time), 2.0);
  EXPECT_EQ(to_seconds(found->own_scores[1].step_time), 6.0);
  EXPECT_EQ(found->own[0], starts[0]);
  EXPECT_DOUBLE_EQ(found->regret(0).value(), 0.25);
  EXPECT_EQ(found->regret(1), 0.0);
}

TEST(SharedPlan, PicksTheBestStartAndStopsWithoutRegret) {
  const std::vector<Problem> problems{toy_problem("a:1 -> b:4; a -> c:4", kTwoDevices),
                                      toy_problem("a:1 -> b:8; a -> c:8", kTwoDevices)};
  const std::vector<Plan> starts{plan_on_one_device(problems[0], DeviceId{0}), toy_plan(problems[0], "a@0 b@0 c@1")};
  const auto found = plan_for_all(problems, starts, {.budget = {.evaluations = 500}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->start, 1U);
  EXPECT_FALSE(found->refined);
  EXPECT_EQ(found->evaluations, 2U);
  EXPECT_EQ(found->regret(0).value() + found->regret(1).value(), 0.0);
}

TEST(SharedPlan, FitsInEveryProblem) {
  constexpr std::string_view kSmall = "device d memory=12B; device e memory=12B; link d e latency=1";
  const auto chain = [&](int bytes) {
    return toy_problem(fmt::format("w:param:{}B -> a:1 -> b:1; v:param:{}B -> b", bytes, bytes), kSmall);
  };
  const std::vector<Problem> problems{chain(4), chain(8)};
  const std::vector<Plan> starts{plan_on_one_device(problems[0], DeviceId{0})};
  ASSERT_FALSE(simulate(problems[1], starts[0]).feasible);
  const auto found = plan_for_all(problems, starts, {.budget = {.evaluations = 500}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->scores[0].feasible && found->scores[1].feasible);
  EXPECT_TRUE(found->refined);
  EXPECT_EQ(found->own[1], found->plan) << "better there than the start, which does not fit";
  EXPECT_EQ(to_seconds(found->own_scores[0].step_time), 2.0);
  EXPECT_EQ(to_seconds(found->scores[0].step_time), 3.0);
  EXPECT_DOUBLE_EQ(found->regret(0).value(), 0.5);
  EXPECT_EQ(found->regret(1), 0.0);
}

TEST(SharedPlan, HasNoRegretWhereItDoesNotFit) {
  constexpr std::string_view kSmall = "device d memory=8B; device e memory=8B; link d e latency=1";
  const auto weight = [&](int bytes) { return toy_problem(fmt::format("w:param:{}B -> a:1", bytes), kSmall); };
  const std::vector<Problem> problems{weight(4), weight(9)};
  const std::vector<Plan> starts{plan_on_one_device(problems[0], DeviceId{0})};
  const auto found = plan_for_all(problems, starts, {.budget = {.evaluations = 20}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->regret(0).has_value());
  EXPECT_FALSE(found->regret(1).has_value());
}

TEST(SharedPlan, IsTheSameForASeed) {
  const std::vector<Problem> problems = short_and_long();
  const std::vector<Plan> starts{plan_on_one_device(problems[0], DeviceId{1})};
  const auto plan = [&] { return plan_for_all(problems, starts, {.budget = {.evaluations = 60, .seed = 3}}).value(); };
  EXPECT_EQ(plan().plan, plan().plan);
}

TEST(SharedPlan, GraphsThatDifferAreRefused) {
  const std::vector<Problem> problems{toy_problem("a:1 -> b:1", kTwoDevices), toy_problem("a:1 -> c:1", kTwoDevices)};
  const auto found = plan_for_all(problems, std::vector<Plan>{plan_on_one_device(problems[0], DeviceId{0})});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "the graphs differ in more than sizes: op 1 is 'b' or 'c'");
}

TEST(SharedEvaluator, JoinsScores) {
  const std::vector<Problem> problems = short_and_long();
  SharedEvaluator evaluator(problems, std::vector{to_picoseconds(2), to_picoseconds(6)});
  const Plan together = plan_on_one_device(problems[0], DeviceId{0});
  const Plan apart = toy_plan(problems[0], "a@0 b@0 c@1");
  // 2 / 2 and 9 / 6; 2.5 / 2 and 6 / 6.
  EXPECT_NEAR(to_seconds(evaluator.evaluate(together).step_time), (0.9 * 1.5 + 0.1 * 1.25) * 6, 1e-9);
  EXPECT_NEAR(to_seconds(evaluator.evaluate(apart).step_time), (0.9 * 1.25 + 0.1 * 1.125) * 6, 1e-9);
}

TEST(SharedEvaluator, ABoundChangesNoScore) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 30);
    const std::vector<Problem> problems{problem, problem};
    SharedEvaluator evaluator(problems, std::vector{to_picoseconds(1), to_picoseconds(0.5)});
    for (int i = 0; i < 10; ++i) {
      const Plan plan = random_plan(problem, rng);
      const Score score = evaluator.evaluate(plan);
      for (const Picoseconds cutoff :
           {score.step_time - 1, score.step_time, score.step_time + 1, score.step_time / 2}) {
        const Score* bounded = evaluator.evaluate_bounded(plan, cutoff);
        EXPECT_EQ(bounded != nullptr, score.step_time <= cutoff);
        if (bounded != nullptr) {
          EXPECT_EQ(*bounded, score);
        }
        refused += bounded == nullptr ? 1 : 0;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace berth
