// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/heavy_grouping.h"

#include <gtest/gtest.h>

#include "plan/toys.h"

namespace berth {
namespace {

std::string heavily_joined(const Problem& problem, std::size_t count) {
  const Grouping grouping = heavy_grouping(problem, one_group_per_unit(problem), count);
  std::string text;
  for (std::uint32_t group = 0; group < grouping.size(); ++group) {
    if (group > 0) text += " |";
    for (const OpId op : problem.graph().ops()) {
      if (grouping.of(problem, op) == group) text += fmt::format(" {}", problem.graph().name(op));
    }
  }
  return text.substr(1);
}

TEST(HeavyGrouping, JoinsWhatSendsMostWithinAnEqualShareOfTheWork) {
  const Problem problem = toy_problem("a:4:1B -> b:2:9B -> c:2:1B -> d:4", kTwoGpus);
  EXPECT_EQ(heavily_joined(problem, 4), "a | b | c | d");
  EXPECT_EQ(heavily_joined(problem, 3), "a | b c | d") << "9 B stay on one device";
  EXPECT_EQ(heavily_joined(problem, 1), "a b c d");
}

TEST(HeavyGrouping, AHeavyOpLeavesTheOthersTheirGroups) {
  const Problem problem = toy_problem("a:90:9B -> b:1:8B -> c:1:7B -> d:1", kTwoGpus);
  EXPECT_EQ(heavily_joined(problem, 2), "a | b c d");
}

}  // namespace
}  // namespace berth
