// SPDX-License-Identifier: Apache-2.0
#include "learn/train/trainer.h"

#include <gtest/gtest.h>

#include "learn/toys.h"
#include "learn/train/table_policy.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// Two devices; the first toy wants every other op on device 1, the second all on device 0.
Problem one_sided() { return toy_problem("a:10/50 -> b:10/50 -> c:10/50 -> d:10/50", "2 devices"); }

class TrainerTest : public testing::Test {
 protected:
  [[nodiscard]] Trainer trainer(const std::vector<const Problem*>& problems,
                                const SamplingOptions& options = quick_options()) {
    return {table_lessons(problems, 4, 2), options, 1, *alone_};
  }
  Problem first_ = lopsided(), second_ = one_sided();
  std::unique_ptr<Communicator> alone_ = make_alone();
};

void expect_equal(const TrainState& a, const TrainState& b) {
  EXPECT_EQ(a.updates, b.updates);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.adam.mean, b.adam.mean);
  EXPECT_EQ(a.rng.state(), b.rng.state());
  for (std::size_t i = 0; i < a.lessons.size(); ++i) {
    EXPECT_EQ(a.lessons[i].baseline, b.lessons[i].baseline);
    EXPECT_EQ(a.lessons[i].deviation, b.lessons[i].deviation);
  }
}

// Wherever an update is stopped, it leaves no trace but the best plan: the next one is as if it had never begun.
TEST_F(TrainerTest, AStoppedUpdateLeavesNoTrace) {
  for (int allowed = 0; allowed < 6; ++allowed) {
    SCOPED_TRACE(allowed);
    Trainer stopped = trainer({&first_, &second_}), whole = trainer({&first_, &second_});
    ASSERT_TRUE(stopped.update().value() && whole.update().value());
    const TrainState before = stopped.state();
    int asked = 0;
    stopped.set_should_stop([&] { return asked++ >= allowed; });
    const auto facts = stopped.update().value();
    if (!facts) expect_equal(stopped.state(), before);
    stopped.set_should_stop({});
    if (!facts) {
      ASSERT_TRUE(stopped.update().value());
    }
    ASSERT_TRUE(whole.update().value());
    expect_equal(stopped.state(), whole.state());
  }
}

TEST_F(TrainerTest, AStateThatIsTakenUpGivesTheSameNumbers) {
  Trainer whole = trainer({&first_, &second_}), half = trainer({&first_, &second_});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(half.update().value());
  Trainer resumed = trainer({&first_, &second_});
  resumed.restore(half.state());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(resumed.update().value());
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(whole.update().value());
  expect_equal(resumed.state(), whole.state());
}

TEST_F(TrainerTest, EveryLessonHasABestPlanOfItsOwn) {
  Trainer both = trainer({&first_, &second_});
  std::vector<int> plans(2);
  both.set_on_plan([&](std::size_t lesson, const Plan&, const Score&) { ++plans[lesson]; });
  UpdateFacts facts;
  for (int i = 0; i < 50; ++i) facts = *both.update().value();
  EXPECT_EQ(plans, (std::vector{200, 200}));
  EXPECT_EQ(facts.plans, 8);
  EXPECT_EQ(facts.evaluations, 400U);
  EXPECT_EQ(both.lessons()[0].best->score.step_time, to_picoseconds(2.0));
  EXPECT_EQ(both.lessons()[1].best->score.step_time, to_picoseconds(40.0));
  EXPECT_NEAR(*facts.best_s, std::sqrt(2.0 * 40.0), 1e-9) << "the geometric mean";
}

TEST_F(TrainerTest, AnUpdateTakesAsManyLessonsAsAskedAndAllInTheEnd) {
  SamplingOptions options = quick_options();
  options.lessons = 1;
  Trainer both = trainer({&first_, &second_}, options);
  EXPECT_EQ(both.plans_per_update(), 4U);
  std::vector<int> plans(2);
  both.set_on_plan([&](std::size_t lesson, const Plan&, const Score&) { ++plans[lesson]; });
  for (int i = 0; i < 20; ++i) EXPECT_EQ((*both.update().value()).plans, 4);
  EXPECT_EQ(plans[0] + plans[1], 80);
  EXPECT_GT(plans[0], 0);
  EXPECT_GT(plans[1], 0);
}

// PPO with one epoch is the policy gradient: the ratio is 1 and its slope that of the logarithm.
TEST_F(TrainerTest, TheFirstEpochOfPpoIsThePolicyGradient) {
  SamplingOptions clipped = quick_options();
  clipped.ratio_clip = 0.2;
  Trainer plain = trainer({&first_}), ppo = trainer({&first_}, clipped);
  ASSERT_TRUE(plain.update().value() && ppo.update().value());
  const std::vector<float> a = plain.state().values, b = ppo.state().values;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6F);
}

TEST_F(TrainerTest, MoreEpochsGoFurtherByTheSamePlansUntilTheClip) {
  SamplingOptions options = quick_options();
  options.ratio_clip = 0.2;
  const auto moved = [&](int epochs) {
    options.epochs = epochs;
    Trainer ppo = trainer({&first_}, options);
    EXPECT_EQ(ppo.update().value()->evaluations, 4U);
    float most = 0.0F;
    for (const float value : ppo.state().values) most = std::max(most, std::abs(value));
    return most;
  };
  EXPECT_GT(moved(3), 1.5F * moved(1));
  EXPECT_LT(moved(200), 1.0F) << "without a clip 200 steps of 0.05 would go to 10";
}

// min(r w, clip(r) w): checked by hand for a ratio that is too large, and one that is too small.
TEST(Surrogate, IsClippedOnlyWhereItWouldGainByGoingFurther) {
  const auto slope = [](double ratio, double weight) {
    const Tensor now = at::full({1}, std::log(ratio)).requires_grad_(true);
    surrogate(now, at::zeros({1}), at::full({1}, weight), 0.2).sum().backward();
    return now.grad().item<double>();
  };
  EXPECT_EQ(slope(1.5, 1.0), 0.0);
  EXPECT_NEAR(slope(1.5, -1.0), -1.5, 1e-6);
  EXPECT_EQ(slope(0.5, -1.0), 0.0);
  EXPECT_NEAR(slope(0.5, 1.0), 0.5, 1e-6);
  EXPECT_NEAR(slope(1.1, 2.0), 2.2, 1e-6);
}

TEST(Schedules, AreAsTheOptionsSay) {
  SamplingOptions options;
  options.rate = 0.1, options.rate_decay = 0.5, options.decay_after = 10, options.decay_every = 5;
  EXPECT_EQ(rate_at(options, 14), 0.1);
  EXPECT_EQ(rate_at(options, 15), 0.05);
  EXPECT_EQ(rate_at(options, 20), 0.025);
  options.noise = 0.3, options.noise_updates = 4;
  EXPECT_EQ(noise_at(options, 3), 0.3);
  EXPECT_EQ(noise_at(options, 4), 0.0);
  options.entropy = 1.0, options.entropy_end = 0.5, options.entropy_updates = 10;
  EXPECT_EQ(entropy_weight_at(options, 0), 1.0);
  EXPECT_EQ(entropy_weight_at(options, 5), 0.75);
  EXPECT_EQ(entropy_weight_at(options, 100), 0.5);
}

}  // namespace
}  // namespace berth::learn
