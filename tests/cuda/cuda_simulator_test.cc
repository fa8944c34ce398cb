// SPDX-License-Identifier: Apache-2.0
// Everything of the simulator on CUDA but the card: kernels and their driver as they are, run by a stand-in on the
// processor. A real card only has to agree with this.
#include "sim/batch/cuda/cuda_simulator.h"

#include <gtest/gtest.h>

#include <limits>

#include "sim/batch/batch_check.h"
#include "sim/simulator.h"
#include "support/cuda_on_host/cuda_runtime.h"
#include "support/random_problem.h"

namespace berth {
namespace {

struct Plans {
  std::vector<Plan> plans;
  std::vector<std::uint8_t> devices;
  std::vector<double> priorities;
};

// Plans with one set of priorities for all, or none.
Plans random_plans(const Problem& problem, Rng& rng, std::size_t count) {
  Plans made;
  while (made.plans.size() < count) {
    Plan plan = random_plan(problem, rng);
    plan.fusions.clear();
    if (made.plans.empty()) made.priorities = plan.priority;
    plan.priority = made.priorities;
    for (const DeviceId device : plan.device_of) made.devices.push_back(static_cast<std::uint8_t>(device));
    made.plans.push_back(std::move(plan));
  }
  return made;
}

BatchScores scores_for(const Problem& problem, std::size_t plans) {
  BatchScores scores;
  scores.num_places = problem.machine().num_devices() + problem.machine().pools().size();
  scores.step_time.resize(plans);
  scores.over.resize(plans);
  scores.peaks.resize(plans * scores.num_places);
  return scores;
}

void expect_scores(const Problem& problem, const Plans& made, const BatchScores& scores,
                   const std::vector<std::uint32_t>& left) {
  ASSERT_TRUE(left.empty());
  for (std::size_t i = 0; i < made.plans.size(); ++i) {
    const Score expected = simulate(problem, made.plans[i]);
    ASSERT_EQ(scores.step_time[i], expected.step_time) << describe(problem, made.plans[i]);
    ASSERT_EQ(scores.over[i], expected.overflow ? expected.overflow->over : 0);
    for (std::size_t k = 0; k < expected.devices.size(); ++k) {
      ASSERT_EQ(scores.peaks[i * scores.num_places + k], expected.devices[k].peak);
    }
    for (std::size_t k = 0; k < expected.pool_peaks.size(); ++k) {
      ASSERT_EQ(scores.peaks[i * scores.num_places + expected.devices.size() + k], expected.pool_peaks[k]);
    }
  }
}

class CudaSimulatorTest : public testing::Test {
 protected:
  void SetUp() override { pretended_card = {}; }
};

TEST_F(CudaSimulatorTest, AgreesWithTheEngine) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40));
    const Plans made = random_plans(problem, rng, 1 + rng.below(40));
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const PlanBatch batch{made.plans.size(), made.devices, {}, {}, {}, made.priorities};
    ASSERT_FALSE((*gpu)->run(batch, scores, left));
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, made, scores, left));
  }
}

TEST_F(CudaSimulatorTest, EveryPlanMayHavePrioritiesOfItsOwn) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40));
    Plans made = random_plans(problem, rng, 2 + rng.below(30));
    made.priorities.clear();
    for (Plan& plan : made.plans) {
      plan.priority = random_plan(problem, rng).priority;
      plan.priority.resize(problem.graph().num_ops());
      made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
    }
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const PlanBatch batch{made.plans.size(), made.devices, {}, {}, {}, made.priorities};
    ASSERT_FALSE((*gpu)->run(batch, scores, left));
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, made, scores, left));
  }
}

TEST_F(CudaSimulatorTest, MovesOfABaseAreThePlansTheyMake) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 30);
    const Plans made = random_plans(problem, rng, 20);
    const std::size_t ops = problem.graph().num_ops();
    std::vector<std::uint32_t> first_move{0};
    std::vector<BatchMove> moves;
    for (std::size_t i = 0; i < made.plans.size(); ++i) {
      for (std::uint32_t op = 0; op < ops; ++op) {
        if (made.devices[i * ops + op] == made.devices[op]) continue;
        moves.push_back({op, made.devices[op]});  // a later move of the op wins
        moves.push_back({op, made.devices[i * ops + op]});
      }
      first_move.push_back(static_cast<std::uint32_t>(moves.size()));
    }
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok());
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const PlanBatch batch{made.plans.size(), {},    std::span(made.devices).first(ops),
                          first_move,        moves, made.priorities};
    ASSERT_FALSE((*gpu)->run(batch, scores, left));
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, made, scores, left));
  }
}

// Memory of the pretended card is memory here.
TEST_F(CudaSimulatorTest, PlansThatAreMadeOnTheCardAreRunWhereTheyAre) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40));
    Plans made = random_plans(problem, rng, 2 + rng.below(30));
    made.priorities.clear();
    for (Plan& plan : made.plans) {
      plan.priority = random_plan(problem, rng).priority;
      plan.priority.resize(problem.graph().num_ops());
      made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
    }
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const PlanBatch batch{
        .size = made.plans.size(), .devices = made.devices, .priorities = made.priorities, .is_on_card = true};
    const auto illegal = (*gpu)->first_illegal(batch);
    ASSERT_TRUE(illegal.ok()) << illegal.error().message;
    EXPECT_EQ(*illegal, made.plans.size());
    ASSERT_FALSE((*gpu)->run(batch, scores, left));
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, made, scores, left));
    const auto brought = (*gpu)->bring(batch, made.plans.size() - 1);
    ASSERT_TRUE(brought.ok());
    EXPECT_EQ(*brought, made.plans.back());
  }
}

TEST_F(CudaSimulatorTest, PlansOnTheCardAreVerifiedThere) {
  int illegal = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(30));
    Plans made = random_plans(problem, rng, 2 + rng.below(8));
    made.priorities.assign(made.devices.size(), 0.5);
    for (int i = 0; i < 2; ++i) {
      made.devices[rng.below(made.devices.size())] =
          static_cast<std::uint8_t>(rng.below(problem.machine().num_devices()));
    }
    if (rng.below(8) == 0) made.devices[rng.below(made.devices.size())] = 255;
    if (rng.below(8) == 0) made.priorities[rng.below(made.priorities.size())] = std::numeric_limits<double>::infinity();
    const std::size_t ops = problem.graph().num_ops();
    std::size_t expected = made.plans.size();
    for (std::size_t i = made.plans.size(); i-- > 0;) {
      const PlanBatch one{.size = 1,
                          .devices = std::span(made.devices).subspan(i * ops, ops),
                          .priorities = std::span(made.priorities).subspan(i * ops, ops)};
      if (check_batch(problem, one)) expected = i;
    }
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    const auto first = (*gpu)->first_illegal(
        {.size = made.plans.size(), .devices = made.devices, .priorities = made.priorities, .is_on_card = true});
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_EQ(*first, expected);
    illegal += expected < made.plans.size() ? 1 : 0;
  }
  EXPECT_GT(illegal, 20);
  EXPECT_LT(illegal, 110);
}

TEST_F(CudaSimulatorTest, ABatchIsCutToTheMemoryOfTheCard) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 30);
  const Plans made = random_plans(problem, rng, 200);
  pretended_card.memory = 6 << 20;
  auto gpu = make_cuda_simulator(problem);
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  BatchScores scores = scores_for(problem, made.plans.size());
  std::vector<std::uint32_t> left;
  const PlanBatch batch{made.plans.size(), made.devices, {}, {}, {}, made.priorities};
  for (int repeat = 0; repeat < 2; ++repeat) {
    pretended_card.launches = 0;
    const auto error = (*gpu)->run(batch, scores, left);
    ASSERT_FALSE(error) << error->message;
    EXPECT_GT(pretended_card.launches, 2) << "one batch";
    ASSERT_NO_FATAL_FAILURE(expect_scores(problem, made, scores, left));
  }
}

TEST_F(CudaSimulatorTest, ACardThatIsNotThereIsRefused) {
  Rng rng(4);
  const Problem problem = random_problem(rng, 10);
  pretended_card.answers = false;
  const auto gpu = make_cuda_simulator(problem);
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().message, "no CUDA device answers");
}

TEST_F(CudaSimulatorTest, ACardThatIsLostOnTheWayIsAnErrorAndNoTime) {
  Rng rng(5);
  const Problem problem = random_problem(rng, 20);
  const Plans made = random_plans(problem, rng, 10);
  const PlanBatch batch{made.plans.size(), made.devices, {}, {}, {}, made.priorities};
  for (int calls = 0; calls < 60; ++calls) {
    pretended_card = {};
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok());
    pretended_card.calls_until_lost = calls;
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const auto error = (*gpu)->run(batch, scores, left);
    if (!error) {
      EXPECT_GT(calls, 5) << "nothing was asked of the card";
      return expect_scores(problem, made, scores, left);
    }
    EXPECT_NE(error->message.find("the GPU failed while "), std::string::npos) << error->message;
  }
  FAIL() << "the card is never asked enough";
}

}  // namespace
}  // namespace berth
