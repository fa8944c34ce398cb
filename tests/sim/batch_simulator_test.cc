// SPDX-License-Identifier: Apache-2.0
// Plans in flat arrays get the scores they get one by one, on any number of threads, and wrong arrays are refused.
#include "sim/batch/batch_simulator.h"

#include <gtest/gtest.h>

#include "sim/batch/batch_check.h"
#include "sim/batch/gpu_simulator.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"

namespace berth {
namespace {

struct Arrays {
  std::vector<Plan> plans;
  std::vector<std::uint8_t> devices;
  std::vector<double> priorities;  // of every plan
};

Arrays random_arrays(const Problem& problem, Rng& rng, std::size_t count) {
  Arrays arrays;
  while (arrays.plans.size() < count) {
    Plan plan = random_plan(problem, rng);
    plan.fusions.clear();
    plan.priority.resize(problem.graph().num_ops());
    for (const DeviceId device : plan.device_of) arrays.devices.push_back(static_cast<std::uint8_t>(device));
    arrays.priorities.insert(arrays.priorities.end(), plan.priority.begin(), plan.priority.end());
    arrays.plans.push_back(std::move(plan));
  }
  return arrays;
}

void expect_scores(const Problem& problem, const Arrays& arrays, const BatchScores& scores) {
  ASSERT_EQ(scores.size(), arrays.plans.size());
  for (std::size_t i = 0; i < arrays.plans.size(); ++i) {
    const Score expected = simulate(problem, arrays.plans[i]);
    ASSERT_EQ(scores.step_time[i], expected.step_time);
    ASSERT_EQ(scores.feasible(i), expected.feasible);
    ASSERT_EQ(scores.over[i], expected.overflow ? expected.overflow->over : 0);
    const Bytes* peaks = scores.peaks.data() + i * scores.num_places;
    for (const DeviceUse& device : expected.devices) ASSERT_EQ(*peaks++, device.peak);
    for (const Bytes peak : expected.pool_peaks) ASSERT_EQ(*peaks++, peak);
  }
}

TEST(BatchSimulator, GivesTheScoresOfSingleRunsForAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const bool overlaps = seed % 3 != 0;
    const Problem problem = random_problem(rng, 40, Execution{overlaps, overlaps ? 0.0 : 3e-12});
    const Arrays arrays = random_arrays(problem, rng, 12);
    const PlanBatch batch{arrays.plans.size(), arrays.devices, {}, {}, {}, arrays.priorities};
    ASSERT_FALSE(check_batch(problem, batch));
    auto simulator = BatchSimulator::make(problem, 1 + static_cast<int>(seed % 3));
    ASSERT_TRUE(simulator.ok());
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_NO_FATAL_FAILURE(expect_scores(problem, arrays, simulator->evaluate(batch)));
    }
    EXPECT_EQ(simulator->use().on_cpu, 2 * arrays.plans.size());
    EXPECT_EQ(simulator->use().on_gpu, 0U);
  }
}

// Says what the engine says, but for plan 0 of every batch, which outgrows it; is lost in its third batch.
class FragileGpu final : public GpuSimulator {
 public:
  explicit FragileGpu(const Problem& problem) : problem_(problem) {}
  [[nodiscard]] std::optional<std::string> refusal(const PlanBatch& plans) const override {
    return plans.priorities.empty() ? std::nullopt : std::optional<std::string>("it knows no priorities");
  }
  std::optional<Error> run(const PlanBatch& plans, BatchScores& scores, std::vector<std::uint32_t>& left) override {
    if (++runs_ == 3) return bad_input("the GPU failed while simulating: it fell off the bus");
    left.push_back(0);
    Plan plan;
    for (std::size_t i = 1; i < plans.size; ++i) {
      plans.read(i, plan);
      scores.set(i, simulate(problem_, plan));
    }
    return std::nullopt;
  }
  [[nodiscard]] const std::string& card() const override { return card_; }
  Result<std::size_t> first_illegal(const PlanBatch& plans) override { return plans.size; }
  Result<Plan> bring(const PlanBatch&, std::size_t) override { return bad_input("nothing is there"); }

 private:
  const Problem& problem_;
  const std::string card_ = "a card of paper";
  int runs_ = 0;
};

TEST(BatchSimulator, WhatAGpuDoesNotDoIsDoneHereAndCounted) {
  Rng rng(11);
  const Problem problem = random_problem(rng, 30);
  Arrays arrays = random_arrays(problem, rng, 10);
  const PlanBatch ranked{.size = 10, .devices = arrays.devices, .priorities = arrays.priorities};
  BatchSimulator simulator(problem, 2, std::make_unique<FragileGpu>(problem), 5);
  ASSERT_NO_FATAL_FAILURE(expect_scores(problem, arrays, simulator.evaluate(ranked)));
  EXPECT_EQ(simulator.use().refused, 10U);
  EXPECT_EQ(simulator.use().note, "it knows no priorities");
  for (Plan& plan : arrays.plans) plan.priority.clear();
  const PlanBatch batch{.size = 10, .devices = arrays.devices};
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, arrays, simulator.evaluate(batch)));
  }
  const std::uint64_t few = simulator.evaluate(batch.part(0, 4)).size();
  EXPECT_EQ(few, 4U);
  EXPECT_EQ(simulator.use().too_few, 4U);
  EXPECT_EQ(simulator.use().outgrown, 2U);
  EXPECT_EQ(simulator.use().on_gpu, 18U);
  EXPECT_EQ(simulator.use().card, "a card of paper");
  for (int repeat = 0; repeat < 2; ++repeat) {  // it is lost in the first of these
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, arrays, simulator.evaluate(batch)));
    EXPECT_EQ(simulator.use().note, "the GPU failed while simulating: it fell off the bus; the processor goes on");
    EXPECT_EQ(simulator.use().card, "");
  }
  EXPECT_EQ(simulator.use().on_gpu, 18U);
  EXPECT_EQ(simulator.use().on_cpu, 10U + 2U + 4U + 20U);
}

TEST(BatchSimulator, ScoresByTheObjectiveOfTheProblem) {
  Rng rng(7);
  const Problem problem = as_pipeline(random_problem(rng, 30));
  const Arrays arrays = random_arrays(problem, rng, 5);
  auto simulator = BatchSimulator::make(problem, 1);
  ASSERT_TRUE(simulator.ok());
  const PlanBatch batch{arrays.plans.size(), arrays.devices, {}, {}, {}, arrays.priorities};
  expect_scores(problem, arrays, simulator->evaluate(batch));
}

TEST(BatchSimulator, MovesOfABaseAreThePlansTheyMake) {
  Rng rng(8);
  const Problem problem = random_problem(rng, 30);
  Arrays arrays = random_arrays(problem, rng, 6);
  const std::size_t ops = problem.graph().num_ops();
  std::vector<std::uint32_t> first_move{0};
  std::vector<BatchMove> moves;
  for (std::size_t i = 0; i < arrays.plans.size(); ++i) {
    for (std::uint32_t op = 0; op < ops; ++op) moves.push_back({op, arrays.devices[i * ops + op]});
    first_move.push_back(static_cast<std::uint32_t>(moves.size()));
    arrays.plans[i].priority.clear();
  }
  auto simulator = BatchSimulator::make(problem, 2);
  ASSERT_TRUE(simulator.ok());
  const PlanBatch batch{arrays.plans.size(), {}, std::span(arrays.devices).first(ops), first_move, moves, {}};
  ASSERT_FALSE(check_batch(problem, batch));
  expect_scores(problem, arrays, simulator->evaluate(batch));
}

TEST(BatchSimulator, OrdersPlansAsScoresAreOrdered) {
  BatchScores scores;
  scores.step_time = {10, 5, 7, 3};
  scores.over = {0, 0, 2, 4};
  EXPECT_TRUE(scores.better(1, 0));
  EXPECT_TRUE(scores.better(0, 2)) << "what fits comes first";
  EXPECT_TRUE(scores.better(2, 3)) << "then what lacks less";
  EXPECT_FALSE(scores.better(0, 0));
}

TEST(BatchSimulator, WithoutACardTheProcessorWorksUnlessACardIsDemanded) {
  Rng rng(9);
  const Problem problem = random_problem(rng, 10);
  const auto demanded = BatchSimulator::make(problem, 1, SimulateOn::kCuda);
  const auto offered = BatchSimulator::make(problem, 1, SimulateOn::kAuto);
  ASSERT_TRUE(offered.ok());
  if (demanded.ok()) GTEST_SKIP() << "there is a card: " << demanded->use().card;
  EXPECT_EQ(offered->use().note, demanded.error().message);
  EXPECT_EQ(offered->use().card, "");
}

}  // namespace
}  // namespace berth
