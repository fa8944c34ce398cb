// SPDX-License-Identifier: Apache-2.0
#include "problem/weight_families.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth {
namespace {

std::string joined_names(const Problem& problem, std::span<const OpId> ops) {
  std::string text;
  for (const OpId op : ops) text += fmt::format("{}{}", text.empty() ? "" : " ", problem.graph().name(op));
  return text;
}

// "w v > a b": ops, then readers, of every family.
std::string describe(const Problem& problem) {
  const WeightFamilies families(problem);
  std::string text;
  for (std::size_t family = 0; family < families.size(); ++family) {
    text += fmt::format("[{} > {}]", joined_names(problem, families.ops(family)),
                        joined_names(problem, families.readers(family)));
  }
  return text;
}

TEST(WeightFamilies, AreWeightsWithTheirViews) {
  EXPECT_EQ(describe(toy_problem("w:param -> v:view -> a:1; v -> u:view -> b:1; c:const -> b; x:input -> a; k:buffer",
                                 "2 devices")),
            "[w v u > a b][c > b]");
}

TEST(WeightFamilies, AParameterWithItsUpdateIsNone) {
  EXPECT_EQ(describe(toy_problem("w:param:group=g -> a:1 -> u:1:update=w:group=g; w -> u; c:const -> a", "2 devices")),
            "[c > a]");
}

TEST(WeightFamilies, WhatIsTiedToAWeightIsInItsFamily) {
  EXPECT_EQ(describe(toy_problem("w:param:group=g -> a:1; v:param:group=g -> b:1", "2 devices")), "[w v > a b]");
}

// w is read as 8 bytes on device 1 and as 6 + 5 on device 2.
TEST(WeightFamilies, LiveWhereMostBytesAreRead) {
  const Problem problem =
      toy_problem("w:param:8B -> a:1; w -> v:view:6B -> b:1; w -> u:view:5B -> b; u -> c:1", "3 devices");
  const WeightFamilies families(problem);
  ASSERT_EQ(families.size(), 1U);
  Plan plan = toy_plan(problem, "a@1 b@2 c@2");
  EXPECT_EQ(families.sent(0, plan), 8 + 6 + 5);
  EXPECT_EQ(families.unsettled(plan), std::vector<std::size_t>{0});
  EXPECT_EQ(families.best_home(0, plan), DeviceId{2});
  families.put(0, DeviceId{2}, plan);
  EXPECT_EQ(families.sent(0, plan), 8);
  EXPECT_TRUE(families.unsettled(plan).empty());
}

TEST(WeightFamilies, OfEqualHomesTheyStay) {
  const Problem problem = toy_problem("w:param:8B -> a:1; w -> b:1", "3 devices");
  const WeightFamilies families(problem);
  EXPECT_EQ(families.best_home(0, toy_plan(problem, "a@1 b@2 w@2")), DeviceId{2});
  EXPECT_EQ(families.best_home(0, toy_plan(problem, "a@1 b@2 w@0")), DeviceId{1});
}

}  // namespace
}  // namespace berth
