// SPDX-License-Identifier: Apache-2.0
#include "serving/workload.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "serving/architecture.h"
#include "serving/presets.h"

namespace berth::llm {
namespace {

Config tiny() {
  Config config;
  config.architecture = "llama";
  config.layers = 2;
  config.hidden = 64;
  config.heads = 4;
  config.kv_heads = 2;
  config.key_width = config.value_width = 16;
  config.ffn = 128;
  config.vocab = 100;
  return config;
}

ServingGraph graph_of(const Config& config, const Workload& workload) {
  auto graph = build_serving_graph(build_model("tiny", config, "f16"), workload);
  EXPECT_TRUE(graph.ok());
  return std::move(graph).value();
}

OpId op_named(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return op;
  }
  ADD_FAILURE() << name;
  return OpId{0};
}

TEST(Workload, DecodeOfADenseLayer) {
  const ServingGraph built = graph_of(tiny(), {.phase = Phase::kDecode, .cache = {.context = 256}});
  const Graph& graph = built.graph;
  std::string names;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kCompute) names += std::string(graph.name(op)) + " ";
  }
  EXPECT_EQ(names,
            "embed blk.0.qkv blk.0.attend blk.0.out blk.0.gate blk.0.up blk.0.down blk.0.join "
            "blk.1.qkv blk.1.attend blk.1.out blk.1.gate blk.1.up blk.1.down blk.1.join logits ");
  // One token times a matrix of 64 x 128: 2 flops each, and every byte of it read.
  const OpId up = op_named(graph, "blk.0.up");
  EXPECT_EQ(graph.flops(up), 2.0 * 64 * 128);
  EXPECT_EQ(graph.bytes_touched(up), 2 * 64 * 128 + 2 * 128 + 2 * 64);
  // Full cache: 256 tokens of 2 heads of 16 keys and 16 values in f16.
  const OpId cache = op_named(graph, "blk.1.cache");
  EXPECT_EQ(graph.resident_bytes(cache), 256 * 2 * (16 + 16) * 2);
  EXPECT_EQ(graph.role(cache), Role::kBuffer);
  EXPECT_EQ(graph.flops(op_named(graph, "blk.1.attend")), 2.0 * 4 * 256 * (16 + 16));
  EXPECT_EQ(built.berths.size(), graph.num_ops());
  EXPECT_EQ(built.berths[index(up)].part, Part::kUp);
  EXPECT_EQ(built.berths[index(cache)].layer, 1);
}

TEST(Workload, ResidentBytesAreWeightsAndCache) {
  const Config config = tiny();
  const Model model = build_model("tiny", config, "f16");
  const Workload workload{.phase = Phase::kDecode, .cache = {.context = 512}};
  const ServingGraph built = graph_of(config, workload);
  Bytes resident = 0;
  for (const OpId op : built.graph.ops()) resident += built.graph.resident_bytes(op);
  EXPECT_EQ(resident, model.weight_bytes() + cache_bytes(config, workload.cache));
}

TEST(Workload, TiedHeadsAreASecondCopy) {
  Config config = tiny();
  config.tied = true;
  const ServingGraph built = graph_of(config, {.phase = Phase::kDecode});
  EXPECT_EQ(built.graph.resident_bytes(op_named(built.graph, "output.weight (tied)")), 100 * 64 * 2);
}

TEST(Workload, PrefillMultipliesFlopsAndReadsWeightsOnce) {
  const Graph decode = graph_of(tiny(), {.phase = Phase::kDecode}).graph;
  const Graph prefill = graph_of(tiny(), {.phase = Phase::kPrefill, .cache = {.prompt_batch = 32}}).graph;
  const OpId up = op_named(decode, "blk.0.up");
  EXPECT_EQ(prefill.flops(op_named(prefill, "blk.0.up")), 32 * decode.flops(up));
  EXPECT_LT(prefill.bytes_touched(op_named(prefill, "blk.0.up")), 2 * decode.bytes_touched(up));
  EXPECT_EQ(prefill.flops(op_named(prefill, "logits")), decode.flops(op_named(decode, "logits"))) << "last token alone";
}

TEST(Workload, APromptBehindOthersLooksBackFarther) {
  const Workload first{.phase = Phase::kPrefill, .cache = {.context = 4096, .prompt_batch = 32}};
  Workload later = first;
  later.depth = 1024;
  const Graph start = graph_of(tiny(), first).graph, behind = graph_of(tiny(), later).graph;
  // A token of the first 32 looks back at 16 on average, one behind 1,024 others at 1,040.
  EXPECT_EQ(start.flops(op_named(start, "blk.0.attend")), 32 * 2.0 * 4 * 16 * (16 + 16));
  EXPECT_EQ(behind.flops(op_named(behind, "blk.0.attend")), 32 * 2.0 * 4 * 1040 * (16 + 16));
  EXPECT_EQ(behind.flops(op_named(behind, "blk.0.up")), start.flops(op_named(start, "blk.0.up")));
}

TEST(Workload, TypesOfProductsSayHowManyBitsWeightsHave) {
  Config config = tiny();
  config.hidden = 256;  // whole blocks of every type
  config.ffn = 512;
  const auto type = [&](const char* weights, const char* op) {
    const ServingGraph built =
        build_serving_graph(build_model("tiny", config, weights), {.phase = Phase::kDecode}).value();
    return std::string(built.graph.type(op_named(built.graph, op)));
  };
  EXPECT_EQ(type("f16", "blk.0.up"), "streamed_product");
  EXPECT_EQ(type("q8_0", "blk.0.up"), "streamed_product_8bit");
  EXPECT_EQ(type("q4_0", "blk.0.up"), "streamed_product_4bit");
  EXPECT_EQ(type("q4_0", "logits"), "streamed_product_4bit");
  EXPECT_EQ(type("q4_0", "blk.0.attend"), "cached_attention");
}

TEST(Workload, MixturesReadTheExpertsTheyTouch) {
  EXPECT_DOUBLE_EQ(expected_experts(8, 2, 1), 2.0);
  EXPECT_DOUBLE_EQ(expected_experts(8, 2, 2), 8.0 * (1.0 - 0.75 * 0.75));
  EXPECT_NEAR(expected_experts(8, 2, 512), 8.0, 1e-9);
  Config config = tiny();
  config.experts = 8;
  config.experts_used = 2;
  config.expert_ffn = 32;
  const Graph graph = graph_of(config, {.phase = Phase::kDecode}).graph;
  const OpId up = op_named(graph, "blk.0.up");
  EXPECT_EQ(graph.flops(up), 2.0 * 2 * 64 * 32);
  EXPECT_EQ(graph.bytes_touched(up), 2 * (2 * 64 * 32) + 2 * 64 + 2 * 64) << "two experts of eight, in f16";
}

}  // namespace
}  // namespace berth::llm
