// SPDX-License-Identifier: Apache-2.0
#include "problem/weights.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth {
namespace {

// w is read by a, and through two views by b; c is a constant that b and d read; x and a's output are no weights.
constexpr std::string_view kGraph =
    "w:param:8B -> a:1:100B; x:input:50B -> a; w -> v:view:6B -> u:view:4B -> b:1; a -> b; c:const:2B -> b; c -> d:1";

std::string names_of(const Graph& graph, const std::vector<OpId>& ops) {
  std::string text;
  for (const OpId op : ops) text += fmt::format("{}{}", text.empty() ? "" : " ", graph.name(op));
  return text;
}

TEST(WeightsThatCross, NoneWhereEveryWeightIsWithItsReaders) {
  const Problem problem = toy_problem(kGraph, "3 devices");
  const CrossingWeights together = weights_that_cross(problem.graph(), toy_plan(problem, "x@1"));
  EXPECT_EQ(together.count(), 0U);
  EXPECT_EQ(together.bytes, 0);
}

TEST(WeightsThatCross, CountsWeightsOnceAndBytesPerDestination) {
  const Problem problem = toy_problem(kGraph, "3 devices");
  // w goes to a on 1 and to v on 2; c goes to b on 2 and to d on 1; a's output goes to 2 and is no weight.
  const CrossingWeights apart = weights_that_cross(problem.graph(), toy_plan(problem, "a@1 v@2 u@2 b@2 d@1"));
  EXPECT_EQ(names_of(problem.graph(), apart.weights), "w c");
  EXPECT_EQ(apart.bytes, 8 + 8 + 2 + 2);
}

TEST(WeightsThatCross, AViewThatIsSentIsItsWeight) {
  const Problem problem = toy_problem(kGraph, "2 devices");
  const CrossingWeights sent = weights_that_cross(problem.graph(), toy_plan(problem, "b@1 c@1 d@1"));
  EXPECT_EQ(names_of(problem.graph(), sent.weights), "w");
  EXPECT_EQ(sent.bytes, 4);
}

TEST(WeightsWithReaders, AreOneSetForEveryWeightThatIsRead) {
  const Problem problem = toy_problem("w:param -> v:view -> a:1; c:const -> b:1; c -> a; idle:buffer", "1 devices");
  std::string text;
  for (const std::vector<OpId>& set : weights_with_readers(problem.graph())) {
    text += fmt::format("[{}]", names_of(problem.graph(), set));
  }
  EXPECT_EQ(text, "[w v a][a c b]");
}

}  // namespace
}  // namespace berth
