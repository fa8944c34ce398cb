// SPDX-License-Identifier: Apache-2.0
// Scores of real runs as planners ask for them: each plan once, the chosen one once more, the best simulated ones
// first.
#include "measure/measured_evaluator.h"

#include <limits>

#include "measure/fake_worker.h"
#include "sim/evaluator.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

class MeasuredScoresTest : public testing::Test {
 protected:
  std::shared_ptr<MeasuredScores> scores(const FakeWorker& worker, MeasuredScores::Listener listener = {}) {
    return std::make_shared<MeasuredScores>(MeasureSession::open(problem_, worker.options()).value(),
                                            std::move(listener));
  }
  [[nodiscard]] Plan plan(std::string_view text) const { return toy_plan(problem_, text); }
  Problem problem_ = toy_problem("a:1:4B -> b:1", "2 devices");
};

// The worker's answer to its run number n takes n seconds.
TEST_F(MeasuredScoresTest, APlanIsRunOnceWhateverIsAsked) {
  const FakeWorker worker("sample $run");
  const auto measured = scores(worker);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0 b@0")).step_time), 1.0);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0 b@1")).step_time), 2.0);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0 b@0")).step_time), 1.0);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0 b@0!1")).step_time), 3.0) << "another order is another plan";
  EXPECT_EQ(measured->session().measured(), 3);
}

TEST_F(MeasuredScoresTest, AConfirmedPlanIsRunOnceMoreAndKeepsThatScore) {
  const FakeWorker worker("sample $run");
  const auto measured = scores(worker);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0")).step_time), 1.0);
  EXPECT_EQ(to_seconds(measured->confirmed(plan("a@0")).step_time), 2.0);
  EXPECT_EQ(to_seconds(measured->confirmed(plan("a@0")).step_time), 2.0);
  EXPECT_EQ(to_seconds(measured->score(plan("a@0")).step_time), 2.0);
  EXPECT_EQ(to_seconds(measured->confirmed(plan("a@1")).step_time), 4.0) << "run, and confirmed";
  EXPECT_EQ(measured->session().measured(), 4);
}

TEST_F(MeasuredScoresTest, ARunThatCannotBeConfirmedStandsAsItWas) {
  const FakeWorker worker("if [ $run = 2 ]; then exit 1; else sample $run; fi");
  const auto measured = scores(worker);
  EXPECT_EQ(to_seconds(measured->confirmed(plan("a@0")).step_time), 1.0);
  EXPECT_TRUE(measured->confirmed(plan("a@0")).feasible);
  EXPECT_EQ(measured->failure(plan("a@0")), std::nullopt);
  EXPECT_EQ(measured->session().measured(), 2) << "it is not tried for ever";
}

TEST_F(MeasuredScoresTest, AFailedPlanIsNotConfirmedAndSaysWhy) {
  const FakeWorker worker("echo '{\"error\": \"no room\"}'");
  const auto measured = scores(worker);
  EXPECT_EQ(measured->failure(plan("a@0")), std::nullopt) << "nobody knows yet";
  EXPECT_FALSE(measured->confirmed(plan("a@0")).feasible);
  EXPECT_EQ(measured->failure(plan("a@0")), "no room");
  EXPECT_EQ(measured->failure(plan("a@1")), std::nullopt);
  EXPECT_EQ(measured->session().measured(), 1);
}

TEST_F(MeasuredScoresTest, TheListenerHearsOfEveryRunInOrder) {
  const FakeWorker worker("if [ $run = 2 ]; then echo '{\"error\": \"no\"}'; else sample $run; fi");
  std::string heard;
  const auto measured = scores(worker, [&](const Result<Sample>& sample, const Score& score) {
    heard += sample ? fmt::format("{} ", to_seconds(score.step_time)) : sample.error().message + " ";
  });
  (void)measured->score(plan("a@0"));
  (void)measured->score(plan("a@1"));
  (void)measured->score(plan("a@1"));
  (void)measured->confirmed(plan("a@0"));
  EXPECT_EQ(heard, "1 no 3 ");
}

TEST_F(MeasuredScoresTest, AnEvaluatorAsksForEveryPlanOfABatch) {
  const FakeWorker worker("sample $run");
  const auto evaluator = make_measured_evaluator(scores(worker));
  EXPECT_EQ(to_seconds(evaluator->evaluate(plan("a@0")).step_time), 1.0);
  const GatheredPlans batch(std::vector{plan("a@1"), plan("a@0"), plan("b@1")});
  const BatchScores& found = evaluator->evaluate(batch.batch());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(to_seconds(found.step_time[0]), 2.0);
  EXPECT_EQ(to_seconds(found.step_time[1]), 1.0);
  EXPECT_EQ(to_seconds(found.step_time[2]), 3.0);
  EXPECT_EQ(evaluator->evaluate_bounded(plan("b@1"), to_picoseconds(2.9)), nullptr);
  EXPECT_NE(evaluator->evaluate_bounded(plan("b@1"), to_picoseconds(3.0)), nullptr);
}

Sample sample_with_peaks(std::vector<Bytes> peaks) {
  Sample sample;
  sample.steps_s = {1.0};
  sample.peak = std::move(peaks);
  return sample;
}

// Both draw on 100 bytes: 60 and 50 are 10 too many, though either would fit.
TEST(MeasuredScore, DevicesOfAPoolAreJudgedTogether) {
  const Problem problem = toy_problem("a:1", "pool p 100B; device 0 pool=p; device 1 pool=p; link 0 1");
  const Plan plan = toy_plan(problem, "a@0");
  const Score fits = score_of_sample(problem, plan, sample_with_peaks({60, 40}));
  EXPECT_TRUE(fits.feasible);
  EXPECT_EQ(peaks_text(problem, fits), "0:60 1:40 p:100");
  const Score over = score_of_sample(problem, plan, sample_with_peaks({60, 50}));
  EXPECT_FALSE(over.feasible);
  ASSERT_TRUE(over.overflow);
  EXPECT_EQ(over.overflow->over, 10);
  EXPECT_EQ(over.overflow->pool, 0);
}

TEST(MeasuredScore, TheMemoryThatIsMostOverIsNamed) {
  const Problem problem =
      toy_problem("a:1", "device 0 memory=10B; device 1 memory=20B; device 2 memory=90B; link 0 1; link 0 2; link 1 2");
  const Score score = score_of_sample(problem, toy_plan(problem, "a@0"), sample_with_peaks({15, 28, 91}));
  ASSERT_TRUE(score.overflow);
  EXPECT_EQ(index(score.overflow->device), 1U);
  EXPECT_EQ(score.overflow->over, 8);
  EXPECT_EQ(score.overflow->pool, -1);
}

// Device 0 sends over two links to device 2; the second has no queue. A clock may go back a little.
TEST(MeasuredScore, TransfersCountOnEveryQueueOfTheirRoute) {
  const Problem problem = toy_problem("a:1:4B -> b:1; c:1:4B -> b",
                                      "device cpu; device g; device h; link g cpu rate=1; link cpu h rate=1 free");
  const Plan plan = toy_plan(problem, "a@g b@h c@cpu");
  Sample sample = sample_with_peaks({0, 0, 0});
  const DeviceId cpu{0}, g{1}, h{2};
  sample.transfers = {
      {TensorId{0}, g, h, 1.0, 3.0, 4}, {TensorId{1}, cpu, h, 2.0, 5.0, 4}, {TensorId{0}, g, h, 2.0, 1.9, 4}};
  const Score score = score_of_sample(problem, plan, sample);
  EXPECT_EQ(queues_text(problem, score), "g>cpu 2s 8B | cpu>g 0s 0B");
}

// What does not fit already in the simulation keeps what is said of it there; else the first device is too small by
// half.
TEST(MeasuredScore, AFailedPlanLooksLikeOneThatDoesNotFit) {
  const Problem problem = toy_problem("w:param:9B -> a:1", "device 0 memory=64B; device 1 memory=4B; link 0 1");
  const Score fitting = score_of_sample(problem, toy_plan(problem, "w@0 a@0"), bad_input("crashed"));
  ASSERT_TRUE(fitting.overflow);
  EXPECT_EQ(index(fitting.overflow->device), 0U);
  EXPECT_EQ(fitting.overflow->over, 64);
  EXPECT_EQ(fitting.devices[0].peak, 128);
  const Plan too_large = toy_plan(problem, "w@1 a@0");
  Score simulated = simulate(problem, too_large);
  EXPECT_FALSE(simulated.feasible);
  EXPECT_EQ(score_of_sample(problem, too_large, bad_input("crashed")), simulated);
}

class ShortlistTest : public testing::Test {
 protected:
  // "a@0 a@1": what is on the list, best first, by where a is.
  [[nodiscard]] std::string listed(const Shortlist& list) const {
    std::string text;
    for (const Plan& plan : list.plans()) text += fmt::format("{} ", index(plan.device(OpId{0})));
    return text;
  }
  [[nodiscard]] Plan on(int device) const { return toy_plan(problem_, fmt::format("a@{}", device)); }
  Problem problem_ = toy_problem("a:5/3/4/3", "4 devices");
};

// 5 s, 3 s, 4 s and 3 s: of equal ones the first stays in front.
TEST_F(ShortlistTest, IsSortedAndOfEqualPlansTheFirstStays) {
  Shortlist list(3);
  for (const int device : {0, 1, 2, 3}) list.offer(on(device), simulate(problem_, on(device)));
  EXPECT_EQ(listed(list), "1 3 2 ");
  Shortlist one(1);
  for (const int device : {0, 1, 2, 3}) one.offer(on(device), simulate(problem_, on(device)));
  EXPECT_EQ(listed(one), "1 ");
}

TEST_F(ShortlistTest, OfNothingStaysEmpty) {
  Shortlist list(0);
  list.offer(on(1), simulate(problem_, on(1)));
  EXPECT_TRUE(list.plans().empty());
}

TEST_F(ShortlistTest, AScreeningEvaluatorOffersWhatItScores) {
  const auto list = std::make_shared<Shortlist>(4);
  const auto evaluator = make_screening_evaluator(make_simulated_evaluator(problem_, 1), list);
  EXPECT_EQ(evaluator->evaluate(on(0)), simulate(problem_, on(0)));
  EXPECT_EQ(listed(*list), "0 ");
  const GatheredPlans batch(std::vector{on(1), on(2)});
  const BatchScores& scores = evaluator->evaluate(batch.batch());
  EXPECT_EQ(scores.step_time[0], simulate(problem_, on(1)).step_time);
  EXPECT_EQ(scores.step_time[1], simulate(problem_, on(2)).step_time);
  EXPECT_EQ(listed(*list), "1 2 0 ");
  evaluator->rebase(on(0));
  EXPECT_EQ(evaluator->evaluate_bounded(on(3), to_picoseconds(2.0)), nullptr);
  EXPECT_EQ(listed(*list), "1 2 0 ") << "without a score there is nothing to offer";
  const Score* bounded = evaluator->evaluate_bounded(on(3), std::numeric_limits<Picoseconds>::max());
  ASSERT_NE(bounded, nullptr);
  EXPECT_EQ(*bounded, simulate(problem_, on(3)));
  EXPECT_EQ(listed(*list), "1 3 2 0 ");
}

}  // namespace
}  // namespace berth
