// SPDX-License-Identifier: Apache-2.0
// Everything of the simulator on CUDA but the card: kernels and their driver as they are, run by a stand-in on the
// processor, which may have little memory, few multiprocessors, or be lost. A real card only has to agree with this.
#include <numeric>
#include <thread>

#include "cuda/plans.h"
#include "sim/batch/compact.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/uploader.h"
#include "support/cuda_on_host/cuda_runtime.h"

namespace berth {
namespace {

constexpr CudaOptions kAlwaysNear{.threads = 1, .least_near_ops = 1, .least_saved = 0};

class PretendedCardTest : public testing::Test {
 protected:
  PretendedCardTest() { pretended_card = {}; }
  ~PretendedCardTest() override { pretended_card = {}; }
};

TEST_F(PretendedCardTest, ManyPlansFillWarps) {
  for (const std::size_t plans : {100U, 200U, 700U}) {  // 8, 16 and 32 lanes of a warp, in tiles of 8 and 32
    SCOPED_TRACE(plans);
    Rng rng(plans);
    const Problem problem = random_problem(rng, 30);
    const auto gpu = make_cuda_simulator(problem, kAlwaysNear);
    ASSERT_TRUE(gpu.ok());
    Plans made = random_plans(problem, rng, plans);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, **gpu));
    made.become_moves_of(made.plans[0]);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, **gpu));
  }
}

TEST_F(PretendedCardTest, ABatchIsCutToTheMemoryOfTheCard) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 30);
  Plans made = random_plans(problem, rng, 200);
  pretended_card.memory = 6 << 20;
  const auto gpu = make_cuda_simulator(problem, kAlwaysNear);
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  for (const bool as_moves : {false, true}) {
    if (as_moves) made.become_moves_of(made.plans[0]);
    for (int repeat = 0; repeat < 2; ++repeat) {
      pretended_card.launches = 0;
      ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, **gpu));
      EXPECT_GT(pretended_card.launches, as_moves ? 12 : 2) << "one batch";
      EXPECT_LE(pretended_card.most_taken, pretended_card.memory);
    }
  }
}

TEST_F(PretendedCardTest, ProblemsShareItsMemory) {
  Rng rng(6);
  const Problem one = random_problem(rng, 30), other = random_problem(rng, 50);
  const Plans of_one = random_plans(one, rng, 150), of_other = random_plans(other, rng, 150);
  pretended_card.memory = 5 << 20;
  const auto first = make_cuda_simulator(one);
  ASSERT_TRUE(first.ok());
  ASSERT_NO_FATAL_FAILURE(expect_agreement(one, of_one, **first));
  const std::size_t taken = pretended_card.most_taken;
  EXPECT_GT(taken, pretended_card.memory / 2) << "the first takes little, so nothing is shown";
  const auto second = make_cuda_simulator(other);
  ASSERT_TRUE(second.ok()) << second.error().message;
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement(other, of_other, **second));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(one, of_one, **first));
  }
}

TEST_F(PretendedCardTest, ProblemsTakeTurns) {
  Rng rng(7);
  const Problem one = random_problem(rng, 20), other = random_problem(rng, 20);
  const Plans of_one = random_plans(one, rng, 20), of_other = random_plans(other, rng, 20);
  const auto first = make_cuda_simulator(one), second = make_cuda_simulator(other);
  ASSERT_TRUE(first.ok() && second.ok());
  std::thread thread([&] { expect_agreement(one, of_one, **first); });
  expect_agreement(other, of_other, **second);
  thread.join();
}

TEST_F(PretendedCardTest, WhatPlansShareWithTheirBaseIsNotRun) {
  Rng rng(8);
  const Problem problem = random_problem(rng, 40);
  const Plan base = unfused_plan(problem, rng);
  const auto compact = batch::CompactProblem::make(problem);
  ASSERT_TRUE(compact.ok());
  std::string why;
  const auto card = batch::CudaBatch::make(compact->view(), compact->tables(), 1, why);
  ASSERT_TRUE(card) << why;
  const std::vector<std::uint8_t> devices = device_bytes(base);
  batch::Ranking ranking;
  ranking.set(compact->view(), base.priority);
  batch::BaseRun run_of_base(*compact, card->capacities());
  ASSERT_TRUE(run_of_base.record(devices, ranking));
  std::vector<batch::Time> times(20);
  std::vector<std::int64_t> peaks(20 * (compact->view().num_devices + compact->view().num_pools));
  const std::vector<std::uint32_t> no_moves(21);
  batch::CudaPlans plans{.size = 20, .base = devices.data(), .first_move = no_moves.data()};
  ASSERT_TRUE(card->run(plans, ranking, times.data(), peaks.data(), why)) << why;
  EXPECT_EQ(card->last_times().saved, 0);
  const std::vector<batch::Time> full = times;
  plans.run_of_base = &run_of_base;
  ASSERT_TRUE(card->run(plans, ranking, times.data(), peaks.data(), why)) << why;
  EXPECT_GT(card->last_times().saved, 0.8) << "they are the base itself";
  EXPECT_EQ(times, full);
}

// On ever smaller cards, down to one that has no room for a tile of plans.
TEST_F(PretendedCardTest, MomentsAreInNobodysWay) {
  Rng rng(12);
  const Problem problem = random_problem(rng, 60);
  const Plans first = Plans::near(problem, unfused_plan(problem, rng), 10, rng);
  const Plans second = Plans::near(problem, unfused_plan(problem, rng), 10, rng);
  const auto run_both = [&](const CudaOptions& options, std::size_t memory) {
    pretended_card = {};
    pretended_card.memory = memory;
    const auto gpu = make_cuda_simulator(problem, options);
    for (const Plans* made : {&first, &second}) {
      BatchScores scores = scores_for(problem, made->plans.size());
      std::vector<std::uint32_t> left;
      if (!gpu.ok() || (*gpu)->run(made->batch(), scores, left)) return false;
      expect_scores(problem, *made, scores);
    }
    return true;
  };
  ASSERT_TRUE(run_both(kAlwaysNear, std::size_t{1} << 30));
  const std::size_t enough = pretended_card.most_taken * 2, step = enough / 60;
  int with_room = 0, without = 0;
  for (std::size_t memory = enough; memory > step; memory -= step) {
    const bool runs_in_full = run_both({}, memory);
    ASSERT_EQ(run_both(kAlwaysNear, memory), runs_in_full) << memory << " bytes";
    ++(runs_in_full ? with_room : without);
  }
  EXPECT_GT(with_room, 5);
  EXPECT_GT(without, 5);
}

TEST_F(PretendedCardTest, ACardThatIsNotThereIsRefused) {
  Rng rng(4);
  const Problem problem = random_problem(rng, 10);
  pretended_card.answers = false;
  const auto gpu = make_cuda_simulator(problem);
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().message, "no CUDA device answers");
}

TEST_F(PretendedCardTest, ACardThatIsLostOnTheWayIsAnErrorAndNoTime) {
  Rng rng(5);
  const Problem problem = random_problem(rng, 20);
  Plans made = random_plans(problem, rng, 10);
  made.become_moves_of(made.plans[0]);
  for (int calls = 0; calls < 80; ++calls) {
    pretended_card = {};
    const auto gpu = make_cuda_simulator(problem, kAlwaysNear);
    ASSERT_TRUE(gpu.ok());
    pretended_card.calls_until_lost = calls;
    BatchScores scores = scores_for(problem, made.plans.size());
    std::vector<std::uint32_t> left;
    const auto error = (*gpu)->run(made.batch(), scores, left);
    if (!error) {
      EXPECT_GT(calls, 5) << "nothing was asked of the card";
      return expect_scores(problem, made, scores);
    }
    EXPECT_NE(error->message.find("the GPU "), std::string::npos) << error->message;
  }
  FAIL() << "the card is never asked enough";
}

TEST_F(PretendedCardTest, UploadsComeWholeFromAnyNumberOfThreads) {
  std::vector<std::uint32_t> numbers(1000), there(1000);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (const int threads : {1, 3}) {
    for (const std::size_t count : {0U, 1U, 16U, 17U, 999U}) {
      there.assign(1000, 0);
      batch::Outcome outcome;
      batch::Uploader uploader(64);
      uploader.upload(there.data(), numbers.data(), count, threads, outcome);
      EXPECT_TRUE(outcome.ok());
      EXPECT_TRUE(std::equal(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count), there.begin()));
      EXPECT_EQ(there[count], 0U);
    }
  }
}

TEST_F(PretendedCardTest, AnUploadThatCannotBeWrittenOrSentIsGivenUp) {
  std::vector<std::byte> there(1000);
  batch::Uploader uploader(64);
  batch::Outcome outcome;
  const auto never = [](std::byte*, std::size_t first, std::size_t) { return first < 256; };
  EXPECT_FALSE(uploader.upload(there.data(), there.size(), never, 2, outcome));
  EXPECT_TRUE(outcome.ok());
  pretended_card.calls_until_lost = 2;
  const auto always = [](std::byte*, std::size_t, std::size_t) { return true; };
  EXPECT_TRUE(uploader.upload(there.data(), there.size(), always, 2, outcome));
  EXPECT_EQ(outcome.why(), "the GPU failed while taking plans: no such device");
}

}  // namespace
}  // namespace berth
