// SPDX-License-Identifier: Apache-2.0
#include "runs/reward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace berth::learn {
namespace {

constexpr RewardKind kKinds[] = {RewardKind::kTime, RewardKind::kSqrt, RewardKind::kLog, RewardKind::kInverse,
                                 RewardKind::kLogTime};

TEST(Reward, IsWhatItsNameSays) {
  const Measurement four{.time_s = 4.0};
  EXPECT_DOUBLE_EQ(reward_of({.kind = RewardKind::kTime}, four), -4.0);
  EXPECT_DOUBLE_EQ(reward_of({.kind = RewardKind::kSqrt}, four), -2.0);
  EXPECT_DOUBLE_EQ(reward_of({.kind = RewardKind::kLog}, four), -std::log(5.0));
  EXPECT_DOUBLE_EQ(reward_of({.kind = RewardKind::kInverse}, four), 0.25);
  EXPECT_DOUBLE_EQ(reward_of({.kind = RewardKind::kLogTime}, four), -std::log(4.0));
}

TEST(Reward, TheConstantStandsForEveryPlanThatDoesNotFit) {
  const RewardRule rule{RewardKind::kSqrt, FailingKind::kConstant, 100.0};
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 1.0, .feasible = false, .overflow = 0.1}), -10.0);
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 7.0, .feasible = false, .overflow = 3.0}), -10.0);
  EXPECT_DOUBLE_EQ(reward_of({RewardKind::kInverse, FailingKind::kConstant, 50.0}, {1.0, false, 1.0}), 0.02);
}

TEST(Reward, GradedFailuresSayWhichWayIsOut) {
  const RewardRule rule{RewardKind::kTime, FailingKind::kGraded};
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 3.0, .feasible = false, .overflow = 0.0}), -6.0);
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 3.0, .feasible = false, .overflow = 0.5}), -12.0);
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 3.0, .feasible = false, .overflow = 4.0}), -54.0);
  EXPECT_DOUBLE_EQ(reward_of(rule, {.time_s = 3.0, .feasible = false, .overflow = 99.0}), -54.0) << "there is an end";
}

TEST(Reward, GradedFailuresAreWorseThanTheSamePlanFitting) {
  for (const RewardKind kind : kKinds) {
    for (const double time_s : {0.0, 1e-12, 0.003, 2.0, 1e5, 1e9}) {
      const RewardRule rule{kind, FailingKind::kGraded};
      EXPECT_LT(reward_of(rule, {time_s, false, 0.0}), reward_of(rule, {time_s, true, 0.0})) << name_of(kind) << time_s;
      EXPECT_LT(reward_of(rule, {time_s, false, 0.2}), reward_of(rule, {time_s, false, 0.1})) << name_of(kind);
    }
  }
}

TEST(Reward, IsFiniteWhateverWasMeasured) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const RewardKind kind : kKinds)
    for (const FailingKind failing : {FailingKind::kConstant, FailingKind::kGraded})
      for (const double time_s : {0.0, -1.0, 1e300, kInfinity, std::nan("")})
        for (const double overflow : {0.0, kInfinity, std::nan("")})
          for (const bool feasible : {false, true})
            EXPECT_TRUE(std::isfinite(reward_of({kind, failing, 100.0}, {time_s, feasible, overflow})));
}

TEST(Reward, KindsHaveNames) {
  for (const RewardKind kind : kKinds) EXPECT_EQ(reward_from_name(name_of(kind)), kind);
  for (const FailingKind kind : {FailingKind::kConstant, FailingKind::kGraded})
    EXPECT_EQ(failing_from_name(name_of(kind)), kind);
  EXPECT_EQ(reward_from_name("square"), std::nullopt);
  EXPECT_EQ(failing_from_name(""), std::nullopt);
}

TEST(Baseline, BeginsWithTheFirstMeanOrAsAsked) {
  Baseline free(0.9);
  EXPECT_EQ(free.value(-3.0), -3.0);
  free.add(-3.0);
  free.add(-1.0);
  EXPECT_DOUBLE_EQ(free.value(7.0), 0.9 * -3.0 + 0.1 * -1.0);
  Baseline failing(0.5, -10.0);
  EXPECT_EQ(failing.value(-2.0), -10.0);
  failing.add(-2.0);
  EXPECT_DOUBLE_EQ(failing.value(0.0), -6.0);
}

}  // namespace
}  // namespace berth::learn
