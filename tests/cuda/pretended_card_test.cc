// SPDX-License-Identifier: Apache-2.0
// Everything of the simulator on CUDA but the card: kernels and their driver as they are, run by a stand-in on the
// processor, which may have little memory, few multiprocessors, or be lost. A real card only has to agree with this.
#include <numeric>
#include <thread>

#include "cuda/plans.h"
#include "sim/batch/cuda/uploader.h"
#include "support/cuda_on_host/cuda_runtime.h"

namespace berth {
namespace {

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
    const auto gpu = make_cuda_simulator(problem, {.threads = 1});
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
  const auto gpu = make_cuda_simulator(problem, {.threads = 1});
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  for (const bool as_moves : {false, true}) {
    if (as_moves) made.become_moves_of(made.plans[0]);
    for (int repeat = 0; repeat < 2; ++repeat) {
      pretended_card.launches = 0;
      ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, **gpu));
      EXPECT_GT(pretended_card.launches, as_moves ? 3 : 2) << "one batch";
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
    const auto gpu = make_cuda_simulator(problem, {.threads = 1});
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
