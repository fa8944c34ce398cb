// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>

#include "plan/coarsen/join_to_count.h"
#include "plan/partition/metis_groups.h"
#include "plan/toys.h"

namespace berth {
namespace {

// "a b | c": groups in order, ops by name.
std::string joined(const Problem& problem, std::size_t count) {
  const Grouping grouping = join_to_count(problem, one_group_per_unit(problem), count);
  std::string text;
  for (std::uint32_t group = 0; group < grouping.size(); ++group) {
    if (group > 0) text += " |";
    for (const OpId op : problem.graph().ops()) {
      if (grouping.of(problem, op) == group) text += fmt::format(" {}", problem.graph().name(op));
    }
  }
  return text.empty() ? text : text.substr(1);
}

TEST(JoinToCount, TheLightestJoinFirst) {
  const Problem problem = toy_problem("a:1 -> b:2 -> c:4 -> d:8", kTwoGpus);
  EXPECT_EQ(joined(problem, 5), "a | b | c | d");
  EXPECT_EQ(joined(problem, 4), "a | b | c | d");
  EXPECT_EQ(joined(problem, 3), "a b | c | d");
  EXPECT_EQ(joined(problem, 2), "a b c | d");
  EXPECT_EQ(joined(problem, 1), "a b c d");
  EXPECT_EQ(joined(problem, 0), "a b c d");
}

TEST(JoinToCount, TheyJoinWhomTheyExchangeMostWith) {
  EXPECT_EQ(joined(toy_problem("a:4:1B -> b:1:9B -> c:4", kTwoGpus), 2), "a | b c");
  EXPECT_EQ(joined(toy_problem("a:4:9B -> b:1:1B -> c:4", kTwoGpus), 2), "a b | c");
  // 6 B in one tensor count less than 4 B in each of two.
  EXPECT_EQ(joined(toy_problem("a:4:6B -> b:1:4B:4B -> c:4; b.1 -> c", kTwoGpus), 2), "a | b c");
}

TEST(JoinToCount, BytesAddUpWhenNeighboursBecomeOne) {
  // c would join a (6 B) rather than d or e (4 B each); those are lighter and one by then.
  const Problem problem = toy_problem("a:9:6B -> c:5:4B:4B -> d:1:5B -> e:1; c.1 -> e", kTwoGpus);
  EXPECT_EQ(joined(problem, 3), "a | c | d e");
  EXPECT_EQ(joined(problem, 2), "a | c d e");
}

TEST(JoinToCount, HubsDoNotTakeInEverything) {
  EXPECT_EQ(joined(toy_problem("h:10:9B -> x:1:1B -> y:2; z:2", kTwoGpus), 3), "h | x y | z");
  EXPECT_EQ(joined(toy_problem("h:3:9B -> x:1:1B -> y:2; z:2", kTwoGpus), 3), "h x | y | z");
}

TEST(JoinToCount, WhatHasNoNeighbourJoinsTheLightest) {
  EXPECT_EQ(joined(toy_problem("a:3; b:1; c:2", kTwoGpus), 2), "a | b c");
}

TEST(JoinToCount, WorkLosesNoDevice) {
  const Problem problem = toy_problem("a:1 -> b:1/-/- -> c:1", kTwoGpus);
  EXPECT_EQ(joined(problem, 2), "a c | b");
  EXPECT_EQ(joined(problem, 1), "a c | b");
  EXPECT_EQ(joined(toy_problem("w:param:8B -> a:1/-/- -> b:2", kTwoGpus), 2), "w a | b");
}

TEST(JoinToCount, LeavesExactlyAsManyOnRandomProblems) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 80);
    const Grouping units = one_group_per_unit(problem);
    const std::size_t fewest = join_to_count(problem, units, 1).size();
    for (const std::size_t count : {fewest, (fewest + units.size()) / 2, units.size()}) {
      const Grouping grouping = join_to_count(problem, units, count);
      EXPECT_EQ(grouping.size(), count);
      std::vector<DeviceId> devices;
      for (const DeviceSet allowed : grouping.allowed) devices.push_back(DeviceId(std::countr_zero(allowed)));
      EXPECT_FALSE(verify(problem, plan_from_groups(problem, grouping, devices)));
      const GroupWeights weights = weigh_groups(problem, units);
      for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
        if (weights.work[unit] > 0) {
          EXPECT_EQ(grouping.allowed[grouping.of_unit[unit]], problem.unit_allowed(unit));
        }
      }
    }
  }
}

TEST(MetisGroups, CutsAChainIntoStretches) {
  std::string text = "a0:1:8B";
  for (int i = 1; i < 64; ++i) text += fmt::format(" -> a{}:1:8B", i);
  const Problem problem = toy_problem(text, kTwoGpus);
  const Result<Grouping> grouping = metis_groups(problem, 4, 1);
  if (!grouping) {
    EXPECT_NE(grouping.error().message.find("left out of this build"), std::string::npos);
    return;
  }
  EXPECT_EQ(grouping->size(), 4U);
  std::size_t cuts = 0;
  for (std::uint32_t unit = 1; unit < 64; ++unit) cuts += grouping->of_unit[unit] != grouping->of_unit[unit - 1];
  EXPECT_LE(cuts, 6U);
  for (const Picoseconds work : weigh_groups(problem, *grouping).work) EXPECT_NEAR(to_seconds(work), 16.0, 6.0);
  EXPECT_EQ(metis_groups(problem, 4, 1).value().of_unit, grouping->of_unit);
  EXPECT_EQ(metis_groups(problem, 1, 1).value().size(), 1U);
  EXPECT_EQ(metis_groups(problem, 100, 1).value().size(), 64U);
}

}  // namespace
}  // namespace berth
