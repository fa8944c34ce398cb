// SPDX-License-Identifier: Apache-2.0
// Plans in a batch get the scores they get alone, whoever evaluates.
#include "sim/evaluator.h"

#include <gtest/gtest.h>

#include "sim/batch/batch_simulator.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"

namespace berth {
namespace {

std::vector<Plan> random_plans(const Problem& problem, Rng& rng, std::size_t count) {
  std::vector<Plan> plans;
  while (plans.size() < count) {
    plans.push_back(random_plan(problem, rng));
    plans.back().fusions.clear();
    plans.back().priority.resize(problem.graph().num_ops());
  }
  return plans;
}

void expect_batch(Evaluator& evaluator, const Problem& problem, std::span<const Plan> plans) {
  const GatheredPlans gathered(plans);
  const BatchScores& scores = evaluator.evaluate(gathered.batch());
  ASSERT_EQ(scores.size(), plans.size());
  BatchScores expected;
  expected.num_places = scores.num_places;
  expected.resize(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) expected.set(i, simulate(problem, plans[i]));
  EXPECT_EQ(scores.step_time, expected.step_time);
  EXPECT_EQ(scores.over, expected.over);
  EXPECT_EQ(scores.peaks, expected.peaks);
}

TEST(Evaluator, ABatchGivesTheScoresOfSingleRuns) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem step = random_problem(rng, 50);
    const Problem problem = seed % 5 == 0 ? as_pipeline(step) : step;
    const std::vector<Plan> plans = random_plans(problem, rng, 20);
    const auto single = make_single_evaluator(problem);
    const auto batching = make_simulated_evaluator(problem, 1 + static_cast<int>(seed % 3));
    for (Evaluator* evaluator : {single.get(), batching.get()}) {
      expect_batch(*evaluator, problem, plans);
      EXPECT_EQ(evaluator->evaluate(plans[7]), simulate(problem, plans[7]));
      expect_batch(*evaluator, problem, std::span(plans).first(3));
    }
  }
}

TEST(Evaluator, WithoutAGpuTheProcessorDoesTheBatchAndSaysSo) {
  Rng rng(1);
  const Problem problem = random_problem(rng, 20, Execution{false, 0.0});  // none for a GPU, wherever this runs
  ASSERT_TRUE(check_simulate_on(problem, SimulateOn::kCuda));
  EXPECT_FALSE(check_simulate_on(problem, SimulateOn::kAuto));
  const auto evaluator = make_simulated_evaluator(problem, 1, SimulateOn::kCuda);
  EXPECT_EQ(evaluator->batch_use(), nullptr);
  expect_batch(*evaluator, problem, random_plans(problem, rng, 4));
  ASSERT_NE(evaluator->batch_use(), nullptr);
  EXPECT_EQ(evaluator->batch_use()->on_cpu, 4U);
  EXPECT_EQ(evaluator->batch_use()->on_gpu, 0U);
  EXPECT_FALSE(evaluator->batch_use()->note.empty());
  EXPECT_FALSE(evaluator->likes_whole_batches());
}

TEST(PlanBatch, PartsAreThePlansOfTheWhole) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 12);
  const std::vector<Plan> plans = random_plans(problem, rng, 9);
  const GatheredPlans gathered(plans);
  Plan read;
  for (std::size_t first = 0; first < plans.size(); first += 4) {
    const std::size_t count = std::min<std::size_t>(4, plans.size() - first);
    const PlanBatch part = gathered.batch().part(first, count);
    ASSERT_EQ(part.size, count);
    for (std::size_t i = 0; i < count; ++i) {
      part.read(i, read);
      EXPECT_EQ(read, plans[first + i]);
    }
  }
}

TEST(PlanBatch, PartsOfMovesKeepTheirBase) {
  const std::vector<std::uint8_t> base{0, 1, 0};
  const std::vector<std::uint32_t> first_move{0, 1, 1, 3};
  const std::vector<BatchMove> moves{{0, 2}, {1, 2}, {1, 3}};
  const PlanBatch part = PlanBatch{.size = 3, .base = base, .first_move = first_move, .moves = moves}.part(1, 2);
  Plan plan;
  part.read(0, plan);
  EXPECT_EQ(plan.device_of, (std::vector{DeviceId{0}, DeviceId{1}, DeviceId{0}}));
  part.read(1, plan);
  EXPECT_EQ(plan.device_of, (std::vector{DeviceId{0}, DeviceId{3}, DeviceId{0}}));  // the later move wins
}

}  // namespace
}  // namespace berth
