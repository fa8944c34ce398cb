// SPDX-License-Identifier: Apache-2.0
#include "services/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "services/json/pipeline_json.h"
#include "services/listening_caller.h"

namespace berth {
namespace {

PipelineRequest small_pipeline() {
  PipelineRequest request;
  request.problem.graph = "zoo:gpt2,layers=3,seq=32,vocab=500";
  request.problem.machine = "a100-v100";
  request.microbatches = 4;
  return request;
}

TEST(AnswerPipeline, WhatIsFoundIsWrittenAndJudgedTheSame) {
  ListeningCaller caller;
  PipelineRequest request = small_pipeline();
  request.output = (std::filesystem::path(testing::TempDir()) / "service.pipeline.json").string();
  const auto found = answer_pipeline(request, caller);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_TRUE(found->fits());
  ASSERT_TRUE(found->saved.ok()) << found->saved.error().message;
  if (found->best->plan.schedule == "data-parallel") GTEST_SKIP() << "a plan with one stage";
  PipelineRequest again = small_pipeline();
  again.given = request.output;
  again.microbatches = 64;  // the file knows better
  const auto judged = answer_pipeline(again, caller);
  std::filesystem::remove(request.output);
  ASSERT_TRUE(judged.ok()) << judged.error().message;
  EXPECT_EQ(judged->best->timeline.score, found->best->timeline.score);
  EXPECT_EQ(judged->best->plan, found->best->plan);
  EXPECT_EQ(judged->others.size(), found->others.size());
}

TEST(AnswerPipeline, SaysWhatBoundsItAndWhatOthersMakeOfIt) {
  ListeningCaller caller;
  PipelineRequest request = small_pipeline();
  request.one_more = true;
  const auto answer = answer_pipeline(request, caller);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_GT(answer->bounds.busiest_share, 0.3);
  EXPECT_LE(answer->bounds.busiest_share, 1.0);
  EXPECT_GT(answer->bounds.fullest_share, 0.0);
  ASSERT_NE(answer->best_uniform(), nullptr);
  EXPECT_GE(answer->best_uniform()->timeline.score.step_time, answer->best->timeline.score.step_time);
  ASSERT_EQ(answer->one_more.size(), 2U);
  EXPECT_TRUE(answer->one_more.front().step_time.has_value());
  const std::string json = pipeline_json(*answer, true);
  for (const char* member : {"\"bounds\"", "\"timeline\"", "\"one_more\"", "\"others\"", "\"update\""}) {
    EXPECT_NE(json.find(member), std::string::npos) << member;
  }
}

TEST(AnswerPipeline, NothingFitsIntoNoMemory) {
  ListeningCaller caller;
  PipelineRequest request = small_pipeline();
  request.problem.changes.settings = {"gpu.memory=1MiB"};
  const auto answer = answer_pipeline(request, caller);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_FALSE(answer->fits());
  EXPECT_NE(pipeline_json(*answer, false).find("\"best\": null"), std::string::npos);
}

TEST(FindSchedule, KnowsItsNames) {
  EXPECT_TRUE(find_schedule("").ok());
  EXPECT_TRUE(find_schedule("searched").ok());
  EXPECT_NE(find_schedule("1f2b").error().message.find("did you mean '1f1b'"), std::string::npos);
}

}  // namespace
}  // namespace berth
