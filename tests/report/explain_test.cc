// SPDX-License-Identifier: Apache-2.0
#include "report/explain_op.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/fork.h"

namespace berth::report {
namespace {

TEST(ExplainOp, EveryDeviceIsSimulated) {
  const Fork fork;
  const OpExplanation why = explain_op(fork.problem, fork.plan, op_named(fork.problem, "c"));
  ASSERT_EQ(why.alternatives.size(), 2U);
  EXPECT_EQ(why.alternatives[0].step_time, 8 * kSecond);  // with c on device 0
  EXPECT_EQ(why.alternatives[1].step_time, 6 * kSecond);  // as it is
  EXPECT_FALSE(why.reasons.empty());
}

TEST(ExplainOp, SaysHowMuchMemoryIsMissing) {
  const Problem problem =
      toy_problem("w:param:8B -> b:1; a:5 -> c:1", "device cpu0; device gpu memory=4B; link cpu0 gpu rate=1000");
  const Plan plan = toy_plan(problem, "w@cpu0 b@cpu0 a@cpu0 c@cpu0");
  const OpExplanation why = explain_op(problem, plan, op_named(problem, "w"));
  EXPECT_FALSE(why.alternatives[1].feasible);
  EXPECT_EQ(why.alternatives[1].over, 4);
  ASSERT_FALSE(why.to_move.empty());
  EXPECT_TRUE(why.to_move[0].starts_with("4 B more memory on gpu")) << why.to_move[0];
}

// w goes to gpu with its only reader, or its 100 bytes would be sent in every step; k stays with a, who reads it, too.
TEST(ExplainOp, AWeightGoesAlongWithItsOnlyReader) {
  const Problem problem = toy_problem("w:param:100B -> v:view:100B -> b:2/1; a:1 -> b; k:const:10B -> b; k -> a",
                                      "device cpu0; device gpu; link cpu0 gpu rate=1");
  const Plan plan = toy_plan(problem, "w@cpu0");
  const OpExplanation why = explain_op(problem, plan, op_named(problem, "b"));
  EXPECT_EQ(why.weights_along, (std::vector<OpId>{op_named(problem, "w"), op_named(problem, "v")}));
  EXPECT_EQ(to_seconds(why.alternatives[1].step_time), 12) << "10 s for k, then b";
  EXPECT_NE(std::ranges::find(why.reasons, "1 weight that nothing else reads goes along wherever it moves (100 B)"),
            why.reasons.end());
}

bool says(const std::vector<std::string>& sentences, std::string_view sentence) {
  return std::ranges::find(sentences, sentence) != sentences.end();
}

std::string all_of(const std::vector<std::string>& sentences) { return fmt::format("{}", fmt::join(sentences, "\n")); }

TEST(ExplainOp, SaysWhoIsNearAndHowFastItIs) {
  const Problem problem = toy_problem("a:1:4B -> c:4/2; b:1:6B -> c; c -> d:1; c -> e:1", "2 devices, 1 s per edge");
  const Plan plan = toy_plan(problem, "a@0 b@1 c@0 d@0 e@1");
  const auto reasons = explain_op(problem, plan, op_named(problem, "c")).reasons;
  EXPECT_TRUE(says(reasons, "1 of its 2 inputs are made on 0 (4 B); 6 B come from elsewhere")) << all_of(reasons);
  EXPECT_TRUE(says(reasons, "1 of the 2 users of its results are on 0")) << all_of(reasons);
  EXPECT_TRUE(says(reasons, "1 would run it in 2.00 s instead of 4.00 s")) << all_of(reasons);
  const auto of_d = explain_op(problem, plan, op_named(problem, "d")).reasons;
  EXPECT_TRUE(says(of_d, "its one input is made on 0 (1 B)")) << all_of(of_d);
  EXPECT_TRUE(says(of_d, "no device it may be on runs it faster (1.00 s)")) << all_of(of_d);
  const auto of_e = explain_op(problem, plan, op_named(problem, "e")).reasons;
  EXPECT_TRUE(says(of_e, "its one input is not made on 1 (1 B)")) << all_of(of_e);
  const auto of_b = explain_op(problem, plan, op_named(problem, "b")).reasons;
  EXPECT_TRUE(says(of_b, "the one user of its results is not on 1")) << all_of(of_b);
}

// The step takes 6 s; b on device 1 makes it 7 s. With c on 0 it is 8 s, and no link matters there.
TEST(ExplainOp, SaysWhatTheStepWouldBe) {
  const Fork fork;
  const auto of_c = explain_op(fork.problem, fork.plan, op_named(fork.problem, "c"));
  EXPECT_TRUE(says(of_c.reasons, "everywhere else the step takes longer, at least 2.00 s (on 0)"))
      << all_of(of_c.reasons);
  EXPECT_TRUE(
      says(of_c.to_move,
           "no link is fast enough: even with links that cost nothing the step would not be shorter with it on 0"))
      << all_of(of_c.to_move);
  const auto of_a = explain_op(fork.problem, fork.plan, op_named(fork.problem, "a"));
  EXPECT_TRUE(says(of_a.reasons, "the step would take as long with it on 1")) << all_of(of_a.reasons);
  const Plan poor = toy_plan(fork.problem, "a@0 b@0 c@0");
  const auto better_off = explain_op(fork.problem, poor, op_named(fork.problem, "c"));
  EXPECT_TRUE(says(better_off.reasons, "the plan could be better: on 1 the step would take 2.00 s less"))
      << all_of(better_off.reasons);
  EXPECT_TRUE(better_off.to_move.empty()) << "nothing need change";
}

// On device 1 b would take 1 s instead of 4, but its input 6 s to get there: with links twice as fast it is 1 + 3 + 1
// against 1 + 4, no better; with links four times as fast 1 + 1.5 + 1.
TEST(ExplainOp, SaysHowFastLinksWouldHaveToBe) {
  const Problem problem = toy_problem("a:1:6B -> b:4/1", "2 devices, 1 s per byte");
  const auto why = explain_op(problem, toy_plan(problem, "a@0 b@0"), op_named(problem, "b"));
  EXPECT_TRUE(says(why.to_move, "links 4x as fast: then 1 would be the better place")) << all_of(why.to_move);
}

TEST(ExplainOp, SaysWhatHoldsIt) {
  const Problem problem = toy_problem("a:1/-/1 -> b:1:group=g; c:1:group=g", "3 devices");
  const Plan plan = toy_plan(problem, "a@0");
  const auto of_a = explain_op(problem, plan, op_named(problem, "a"));
  EXPECT_TRUE(says(of_a.reasons, "it may only be on 0, 2: by its type or its times it can run on 0, 2"))
      << all_of(of_a.reasons);
  EXPECT_TRUE(of_a.alternatives[1].refused.has_value());
  EXPECT_FALSE(of_a.alternatives[2].refused.has_value());
  const auto of_b = explain_op(problem, plan, op_named(problem, "b"));
  EXPECT_EQ(of_b.companions, 1U);
  EXPECT_TRUE(
      says(of_b.reasons, "it must be where 1 other op are: they share a parameter, a constraint or a fused group"))
      << all_of(of_b.reasons);
}

TEST(ExplainOp, InputsAreWhereInputsAre) {
  const ToyGraph toy = toy_graph("x:input:4B -> a:1");
  ExplicitCosts costs{.time_s = {{0, 0}, {1, 1}}, .compute_s = {}};
  const Problem problem =
      make_problem(toy.graph, toy_machine("device cpu; device g; link cpu g"), costs, Constraints{}).value();
  const auto why = explain_op(problem, toy_plan(problem, "a@g"), op_named(problem, "x"));
  EXPECT_TRUE(says(why.reasons, "it is an input, and inputs are on cpu unless --pin says otherwise"))
      << all_of(why.reasons);
}

}  // namespace
}  // namespace berth::report
