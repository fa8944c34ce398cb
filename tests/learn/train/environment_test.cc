// SPDX-License-Identifier: Apache-2.0
#include "learn/train/environment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

TEST(Environment, ScoresComeInTheOrderOfSubmission) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 60);
  std::vector<Plan> plans;
  for (int i = 0; i < 40; ++i) plans.push_back(random_plan(problem, rng));
  for (const int threads : {0, 1, 3}) {  // 0 counts as 1
    const auto environment = make_simulated_environment(problem, threads);
    EXPECT_EQ(&environment->problem(), &problem);
    for (int round = 0; round < 2; ++round) {
      for (const Plan& plan : plans) environment->submit(plan);
      const std::vector<Score> scores = environment->collect();
      ASSERT_EQ(scores.size(), plans.size());
      for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(scores[i], simulate(problem, plans[i])) << i;
    }
    EXPECT_TRUE(environment->collect().empty());
  }
}

TEST(Environment, KeepsTheTimesOfOpsWhenAsked) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 60);
  std::vector<Plan> plans;
  for (int i = 0; i < 10; ++i) plans.push_back(random_plan(problem, rng));
  const auto environment = make_simulated_environment(problem, 2);
  environment->submit(plans[0]);
  EXPECT_EQ(environment->collect().size(), 1U);
  EXPECT_TRUE(environment->take_times().empty());
  environment->keep_times();
  for (const Plan& plan : plans) environment->submit(plan);
  const std::vector<Score> scores = environment->collect();
  const std::vector<OpTimes> times = environment->take_times();
  ASSERT_EQ(times.size(), plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Timeline timeline = simulate_timeline(problem, plans[i]);
    EXPECT_EQ(scores[i], timeline.score);
    EXPECT_EQ(times[i].end, timeline.op_end);
    EXPECT_EQ(times[i].ready, timeline.op_ready);
  }
}

TEST(Environment, EndsWithPlansOutstanding) {
  Rng rng(4);
  const Problem problem = random_problem(rng, 200);
  for (int round = 0; round < 20; ++round) {
    const auto environment = make_simulated_environment(problem, 2);
    for (int i = 0; i < 10; ++i) environment->submit(random_plan(problem, rng));
  }
}

TEST(Environment, JudgesByTheObjectiveOfTheProblem) {
  const Problem problem = as_pipeline(toy_problem("a:2 -> b:3", "2 devices"));
  const Plan plan = toy_plan(problem, "a@0 b@1");
  const auto environment = make_simulated_environment(problem, 1);
  environment->submit(plan);
  EXPECT_EQ(measurement_of(problem, environment->collect().front()).time_s, 3.0);
}

TEST(Measurement, ShareOfTheFullestMemory) {
  const Problem problem = toy_problem("a:1:30B -> b:1:1B", "device x memory=20B; device y memory=40B; link x y");
  const auto measure = [&](std::string_view plan) {
    return measurement_of(problem, simulate(problem, toy_plan(problem, plan)));
  };
  const Measurement fits = measure("a@y b@y");
  EXPECT_TRUE(fits.feasible);
  EXPECT_EQ(fits.overflow, 0.0);
  EXPECT_EQ(fits.time_s, 2.0);
  const Measurement over = measure("a@x b@x");  // 31 bytes where 20 fit
  EXPECT_FALSE(over.feasible);
  EXPECT_DOUBLE_EQ(over.overflow, 11.0 / 20.0);
  EXPECT_EQ(over.time_s, 2.0);
}

// A policy that looks at times is told the same as one that does not.
TEST(Environment, WithoutOverlapThereAreTimesToo) {
  const Problem problem = toy_problem("a:1 -> b:2 -> d:1; a -> c:3 -> d", "2 devices, 1 s per edge; no overlap, 1");
  const auto environment = make_simulated_environment(problem, 1);
  environment->keep_times();
  for (const std::string_view plan : {"a@0", "b@1"}) {
    environment->submit(toy_plan(problem, plan));
    const std::vector<Score> scores = environment->collect();
    ASSERT_EQ(scores.size(), 1u);
    EXPECT_EQ(scores[0].step_time, simulate(problem, toy_plan(problem, plan)).step_time) << plan;
    EXPECT_EQ(environment->take_times()[0].end, simulate_timeline(problem, toy_plan(problem, plan)).op_end) << plan;
  }
}

TEST(Measurement, APoolIsOneMemory) {
  const Problem problem =
      toy_problem("a:1:30B -> b:1:30B", "pool p 40B; device x pool=p; device y pool=p; link x y free");
  const Score score = simulate(problem, toy_plan(problem, "a@x b@y"));
  const Measurement over = measurement_of(problem, score);
  ASSERT_FALSE(over.feasible);
  EXPECT_DOUBLE_EQ(over.overflow, static_cast<double>(score.pool_peaks[0] - 40) / 40.0);
  EXPECT_GT(over.overflow, 0.0);
}

TEST(Noise, MultipliesTimesAndNothingElse) {
  Rng rng(5);
  const Measurement measured{.time_s = 2.0, .feasible = false, .overflow = 0.5};
  EXPECT_EQ(with_noise(measured, 0.0, rng).time_s, 2.0);
  EXPECT_EQ(rng.state(), Rng(5).state()) << "without noise no random numbers are used up";
  double sum = 0.0, squares = 0.0;
  constexpr int kSamples = 20'000;
  for (int i = 0; i < kSamples; ++i) {
    const Measurement noisy = with_noise(measured, 0.2, rng);
    ASSERT_FALSE(noisy.feasible);
    ASSERT_EQ(noisy.overflow, 0.5);
    const double exponent = std::log(noisy.time_s / 2.0);
    sum += exponent, squares += exponent * exponent;
  }
  EXPECT_NEAR(sum / kSamples, 0.0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / kSamples), 0.2, 0.01);
}

}  // namespace
}  // namespace berth::learn
