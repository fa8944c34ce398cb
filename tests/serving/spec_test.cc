// SPDX-License-Identifier: Apache-2.0
#include "serving/spec.h"

#include <gtest/gtest.h>

#include "serving/architecture.h"
#include "serving/presets.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

std::string spec_error(std::string_view spec) {
  const auto graph = build_named_model(spec);
  return graph ? "fine" : graph.error().message;
}

TEST(Serving, ModeDecidesBetweenTheTwoZoos) {
  EXPECT_FALSE(is_serving_spec("llama-8b"));
  EXPECT_FALSE(is_serving_spec("llama-8b,mode=infer"));
  EXPECT_TRUE(is_serving_spec("llama-8b,ctx=8192,mode=decode"));
  EXPECT_TRUE(is_serving_spec("llama-70b"));
}

TEST(Serving, EveryPresetBuildsBothPhases) {
  for (const llm::Preset& preset : llm::presets()) {
    for (const std::string_view mode : {"decode", "prefill"}) {
      const auto graph = build_named_model(fmt::format("{},mode={},ctx=512", preset.name, mode));
      ASSERT_TRUE(graph.ok()) << preset.name << ": " << graph.error().message;
      EXPECT_EQ(graph->graph_outputs().size(), 1U);
    }
  }
}

TEST(Serving, ContextIsResidentState) {
  const auto small = build_named_model("llama-8b,mode=decode,ctx=4096"),
             large = build_named_model("llama-8b,mode=decode,ctx=8192");
  ASSERT_TRUE(small.ok() && large.ok());
  Bytes grown = 0;
  for (const OpId op : small->ops()) grown += large->resident_bytes(op) - small->resident_bytes(op);
  EXPECT_EQ(grown, Bytes{512} << 20);
  EXPECT_EQ(small->parameter_bytes(), large->parameter_bytes());
}

TEST(Serving, ABatchReadsWeightsOnce) {
  const auto one = build_named_model("llama-8b,mode=decode"), four = build_named_model("llama-8b,mode=decode,batch=4");
  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_NEAR(four->total_flops() / one->total_flops(), 4.0, 1e-9);
}

TEST(Serving, MistakesAreTold) {
  EXPECT_EQ(spec_error("llama-8b,mode=decode,seq=3"),
            "zoo:llama-8b has no parameter 'seq' (it has: batch, ctx, depth, kv, mode, prompt, weights)");
  EXPECT_EQ(spec_error("nmt-4,mode=decode"), "no language model named 'nmt-4' to serve (berth models lists all)");
  EXPECT_NE(spec_error("llama-8b,mode=decode,weights=q9").find("weights=q9 must be"), std::string::npos);
  const llm::Model model = llm::build_model("m", llm::find_preset("llama-8b")->config, "f16");
  EXPECT_TRUE(build_serving_model(model, "mode=prefill,prompt=8").ok());
  EXPECT_FALSE(build_serving_model(model, "weights=q8_0").ok());
}

}  // namespace
}  // namespace berth
