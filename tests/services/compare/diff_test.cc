// SPDX-License-Identifier: Apache-2.0
#include "services/compare/diff.h"

#include <numeric>

#include "services/small_problem.h"
#include "services/words.h"

namespace berth {
namespace {

TEST(Diff, FilesAloneSayWhatMoved) {
  const std::string one = plan_file("single", "diff_single.json"), many = plan_file("round-robin", "diff_robin.json");
  ListeningCaller caller;
  const Result<DiffAnswer> answer = diff_plans({one, many}, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->effect);
  EXPECT_GT(answer->moves.total(), 0U);
  EXPECT_LT(answer->moves.total(), answer->moves.ops);
  std::size_t counted = 0;
  for (const auto& [way, count] : answer->moves.count) {
    EXPECT_NE(way.first, way.second);
    counted += count;
  }
  EXPECT_EQ(counted, answer->moves.total());
  EXPECT_TRUE(answer->before_s && answer->after_s);
}

TEST(Diff, WithAProblemBothAreSimulatedAndSayTheSame) {
  const std::string one = plan_file("single", "diff_single.json"), many = plan_file("round-robin", "diff_robin.json");
  ListeningCaller caller;
  const Result<DiffAnswer> told = diff_plans({one, many}, caller);
  const Result<DiffAnswer> simulated = diff_plans({one, many, small_problem()}, caller);
  ASSERT_TRUE(told && simulated);
  ASSERT_TRUE(simulated->effect);
  EXPECT_EQ(simulated->moves.names, told->moves.names);
  EXPECT_EQ(simulated->before_s, told->before_s);
  EXPECT_EQ(simulated->after_s, simulated->effect->after.value_s());
  const auto add = [](std::size_t sum, const auto& part) { return sum + part.second; };
  const auto& parts = simulated->effect->parts;
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::size_t{0}, add), told->moves.total());
}

TEST(Diff, NothingMovesFromAPlanToItself) {
  const std::string one = plan_file("single", "diff_single.json");
  ListeningCaller caller;
  const Result<DiffAnswer> answer = diff_plans({one, one}, caller);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->moves.total(), 0U);
  EXPECT_EQ(relative_change(answer->before_s, answer->after_s), 0.0);
  EXPECT_EQ(change_words(0.0), "no change");
  EXPECT_EQ(change_words(-0.21), "21 % less");
  EXPECT_FALSE(relative_change(0.0, 1.0));
}

}  // namespace
}  // namespace berth
