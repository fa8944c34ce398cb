// SPDX-License-Identifier: Apache-2.0
// The timeline by units, on cases for paper.
#include "pipeline/unit_run.h"

#include <gtest/gtest.h>

#include "pipeline/search/planning.h"
#include "pipeline/training_graphs.h"
#include "support/toy.h"

namespace berth::pipeline {
namespace {

using Kind = ActionKind;

std::string text_of(const UnitTimeline& timeline) {
  std::string text;
  for (const ActionTime& ran : timeline.actions) {
    const char* kind = ran.is_update                             ? "U"
                       : ran.action.kind == Kind::kForward       ? "F"
                       : ran.action.kind == Kind::kBackward      ? "B"
                       : ran.action.kind == Kind::kBackwardInput ? "I"
                                                                 : "W";
    text += fmt::format("{}{}{} {}-{} ", kind, ran.action.stage,
                        ran.is_update ? std::string() : fmt::format(".{}", ran.action.microbatch),
                        to_seconds(ran.start), to_seconds(ran.end));
  }
  if (!text.empty()) text.pop_back();
  return text;
}

// Two layers on two devices; a layer takes 1 s forward, 1 s for its input, 2 s for its weight, 3 s to update.
class TwoStages : public testing::Test {
 protected:
  explicit TwoStages(bool recompute = false)
      : problem_(chain_problem({kLayer, kLayer}, toy_machine("2 devices, 1 s per edge"))),
        step_(*find_layered_step(problem_)),
        plan_(plan_of(step_, {{0, 1}, {recompute, recompute}}, {{DeviceId(0)}, {DeviceId(1)}}, 1)) {}

  UnitTimeline run() const {
    const auto timeline = run_units(make_staged_step(step_, *cut_of(step_, plan_)), plan_);
    EXPECT_TRUE(timeline.ok());
    return *timeline;
  }

  static constexpr ChainLayer kLayer{1, 1, 2, 3, 100, 10};
  Problem problem_;
  LayeredStep step_;
  PipelinePlan plan_;
};
class TwoStagesAgain : public TwoStages {
 protected:
  TwoStagesAgain() : TwoStages(true) {}
};

TEST_F(TwoStages, AnActionSendsWhenItEnds) {
  plan_.actions = {{{Kind::kForward, 0, 0}, {Kind::kBackward, 0, 0}},
                   {{Kind::kForward, 1, 0}, {Kind::kBackward, 1, 0}}};
  // The gradient leaves after the weight part, at 6, and is there at 7.
  EXPECT_EQ(text_of(run()), "F0.0 0-1 B0.0 7-10 U0 10-13 F1.0 2-3 B1.0 3-6 U1 6-9");
}

TEST_F(TwoStages, InTwoPartsTheGradientLeavesAfterTheFirst) {
  plan_.actions = {{{Kind::kForward, 0, 0}, {Kind::kBackwardInput, 0, 0}, {Kind::kBackwardWeight, 0, 0}},
                   {{Kind::kForward, 1, 0}, {Kind::kBackwardInput, 1, 0}, {Kind::kBackwardWeight, 1, 0}}};
  // Nothing waits for gradients of the first layer's input: all of its backward pass is of the weight part.
  EXPECT_EQ(text_of(run()), "F0.0 0-1 I0.0 1-1 W0.0 5-8 U0 8-11 F1.0 2-3 I1.0 3-4 W1.0 4-6 U1 6-9");
}

TEST_F(TwoStagesAgain, TheForwardPassRunsAgainBeforeTheBackwardPass) {
  plan_.actions = {{{Kind::kForward, 0, 0}, {Kind::kBackward, 0, 0}},
                   {{Kind::kForward, 1, 0}, {Kind::kBackward, 1, 0}}};
  EXPECT_EQ(text_of(run()), "F0.0 0-1 B0.0 8-12 U0 12-15 F1.0 2-3 B1.0 3-7 U1 7-10");
}

TEST(LayeredStep, PartsAreFoundInTheGraph) {
  const Problem problem = chain_problem(std::vector<ChainLayer>(3), toy_machine("1 devices"));
  const auto step = find_layered_step(problem);
  ASSERT_TRUE(step.ok());
  ASSERT_EQ(step->blocks.size(), 3U);
  EXPECT_TRUE(step->named_by_modules);
  const auto part_of = [&](std::string_view name) {
    for (const OpId op : problem.graph().ops()) {
      if (problem.graph().name(op) == name) return step->part(op);
    }
    return Part::kInput;
  };
  EXPECT_EQ(part_of("layer.1.w"), Part::kStatic);
  EXPECT_EQ(part_of("layer.1.f"), Part::kForward);
  EXPECT_EQ(part_of("layer.1.b"), Part::kBackwardInput);
  EXPECT_EQ(part_of("layer.1.dw"), Part::kBackwardWeight);
  EXPECT_EQ(part_of("layer.1.u"), Part::kUpdate);
  EXPECT_EQ(part_of("layer.0.b"), Part::kBackwardWeight);  // no other layer waits for it
}

}  // namespace
}  // namespace berth::pipeline
