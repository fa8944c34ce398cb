// SPDX-License-Identifier: Apache-2.0
#include "format/pipeline_file.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth {
namespace {

class PipelineFile : public ::testing::Test {
 protected:
  PipelineFile() : problem_(toy_problem("a:1 -> b:2", "2 devices, 1 s per edge")) {}

  // Two stages, one microbatch; `device1` are the actions of the second device.
  [[nodiscard]] std::string file_with(std::string_view device1, std::string_view second = "\"1\"") const {
    return fmt::format(R"({{"format": "berth-pipeline/1", "graph": "{}", "title": "toy", "machine": "toy",
      "microbatches": 1, "schedule": "1f1b", "cut_by": "labels", "optimizer": {{"kind": "sgd", "state": "with-weights"}},
      "stages": [{{"layers": ["x"], "devices": ["0"]}}, {{"layers": ["y", "z"], "devices": [{}], "recompute": true}}],
      "devices": [{{"device": "0", "actions": [{{"stage": 0, "microbatch": 0, "kind": "forward"}},
                                               {{"stage": 0, "microbatch": 0, "kind": "backward"}}]}},
                  {{"device": "1", "actions": [{}]}}]}})",
                       problem_.graph().structure_hash(), second, device1);
  }
  [[nodiscard]] Result<PipelinePlan> parse(const std::string& text) const {
    return parse_pipeline(text, "p.json", problem_.graph(), problem_.machine());
  }
  [[nodiscard]] std::string error_of(const std::string& text) const {
    const auto plan = parse(text);
    return plan ? "fine" : plan.error().message;
  }
  void expect_error(const std::string& text, std::string_view words) const {
    const std::string found = error_of(text);
    EXPECT_NE(found.find(words), std::string::npos) << found;
    EXPECT_TRUE(found.starts_with("p.json: ")) << found;
  }

  Problem problem_;
  const std::string forward_ = R"({"stage": 1, "microbatch": 0, "kind": "forward"})";
  const std::string backward_ = R"({"stage": 1, "microbatch": 0, "kind": "backward"})";
  const std::string both_ = forward_ + ", " + backward_;
};

TEST_F(PipelineFile, IsReadAndWritten) {
  const auto plan = parse(file_with(both_));
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->stages.size(), 2U);
  EXPECT_EQ(plan->stages[1].layers, (std::vector<std::string>{"y", "z"}));
  EXPECT_FALSE(plan->stages[0].recompute);
  EXPECT_TRUE(plan->stages[1].recompute);
  EXPECT_EQ(plan->actions[1][1], (PipelineAction{ActionKind::kBackward, 1, 0}));
  const PipelinePrediction prediction{.step_time_s = 2.5, .bubble = 0.5, .devices = {{"0", 1, 2, 3}}};
  const std::string text = write_pipeline_json(problem_.graph(), problem_.machine(), *plan, "labels", prediction);
  EXPECT_NE(text.find(R"({"stage": 1, "microbatch": 0, "kind": "backward"})"), std::string::npos) << text;
  const auto again = parse(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *plan);
}

TEST_F(PipelineFile, MistakesAreNamed) {
  expect_error("{}", "\"format\"");
  expect_error(R"({"format": "berth-pipeline/1", "graph": "12"})", "another graph");
  expect_error(file_with(both_, "\"gpu7\""), "stages[1].devices[0]: machine");
  expect_error(file_with(both_, ""), "stage 1 has no device");
  expect_error(file_with(forward_), "microbatch 0 does not go through all of stage 1");
  expect_error(file_with(backward_ + ", " + forward_), "before what it needs");
  expect_error(file_with(both_ + ", " + forward_), "listed twice");
  expect_error(file_with(R"({"stage": 2, "microbatch": 0, "kind": "forward"})"), "devices[1].actions[0].stage");
  expect_error(file_with(R"({"stage": 1, "microbatch": 1, "kind": "forward"})"), "devices[1].actions[0].microbatch");
  expect_error(file_with(R"({"stage": 1, "microbatch": 0, "kind": "sideways"})"), "expected forward, backward");
  expect_error(file_with(R"({"stage": 1, "microbatch": 0})"), "an action has");
}

TEST_F(PipelineFile, ListsThatWaitInACircleAreRefused) {
  const auto action = [](ActionKind kind, std::uint32_t stage, std::uint32_t microbatch) {
    return PipelineAction{kind, stage, microbatch};
  };
  using enum ActionKind;
  PipelinePlan plan{
      .stages = {{.layers = {"x"}, .devices = {DeviceId(0)}}, {.layers = {"y"}, .devices = {DeviceId(1)}}},
      .microbatches = 2};
  plan.actions = {{action(kForward, 0, 0), action(kBackward, 0, 0), action(kForward, 0, 1), action(kBackward, 0, 1)},
                  {action(kForward, 1, 0), action(kBackward, 1, 0), action(kForward, 1, 1), action(kBackward, 1, 1)}};
  EXPECT_TRUE(check_order(plan));
  // Stage 1 wants the other microbatch first, which stage 0 sends only when it has the first one's gradients.
  std::swap(plan.actions[1][0], plan.actions[1][2]);
  std::swap(plan.actions[1][1], plan.actions[1][3]);
  ASSERT_FALSE(check_order(plan));
  EXPECT_NE(check_order(plan).error().message.find("circle: the backward of microbatch 0 in stage 0"),
            std::string::npos)
      << check_order(plan).error().message;
}

}  // namespace
}  // namespace berth
