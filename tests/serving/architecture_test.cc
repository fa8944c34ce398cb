// SPDX-License-Identifier: Apache-2.0
// Models built from published configurations have the published number of parameters.
#include "serving/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

#include "serving/presets.h"

namespace berth::llm {
namespace {

// Parameters as the pages of the models' weights state them: the sum over the tensors of the published safetensors
// files
// ("total_parameters"). The first eleven were found again, to the digit, in other public projects' records of
// these models; the others are rounded figures of reports and of programs that count tensors.
struct Published {
  std::string_view preset;
  double parameters;
};
constexpr Published kPublished[] = {
    {"llama-8b", 8'030'261'248.0},           // meta-llama/Llama-3.1-8B
    {"llama-70b", 70'553'706'496.0},         // meta-llama/Llama-3.1-70B
    {"llama2-7b", 6'738'415'616.0},          // meta-llama/Llama-2-7b-hf
    {"mistral-7b", 7'241'732'096.0},         // mistralai/Mistral-7B-v0.1
    {"mixtral-8x7b", 46'702'792'704.0},      // mistralai/Mixtral-8x7B-v0.1
    {"qwen2.5-7b", 7'615'616'512.0},         // Qwen/Qwen2.5-7B
    {"qwen3-8b", 8'190'735'360.0},           // Qwen/Qwen3-8B
    {"qwen3-30b-a3b", 30'532'122'624.0},     // Qwen/Qwen3-30B-A3B
    {"gemma2-9b", 9'241'705'984.0},          // google/gemma-2-9b
    {"phi3-mini", 3'821'079'552.0},          // microsoft/Phi-3-mini-4k-instruct
    {"deepseek-v2-lite", 15'706'484'224.0},  // deepseek-ai/DeepSeek-V2-Lite
    {"deepseek-v3", 671e9},                  // DeepSeek-V3 technical report: 671 B without the layer that guesses ahead
    {"mixtral-8x22b", 140.62e9},             // mistral-community/Mixtral-8x22B-v0.1
    {"qwen3-32b", 32.8e9},                   // Qwen3 technical report, as the next
    {"qwen3-235b-a22b", 235e9},
    {"qwen3-next-80b-a3b", 79.67e9},   // llama-bench; 80 B as it is known
    {"gemma3-1b", 0.302e9 + 0.698e9},  // Gemma 3 technical report, table 1: embedding and others, without vision
    {"gemma3-4b", 0.675e9 + 3.209e9},
    {"gemma3-12b", 1.012e9 + 10.759e9},
    {"gemma3-27b", 1.416e9 + 25.600e9},
    {"gemma3n-e2b", 4.46e9},  // ollama's library: without vision and sound
    {"gemma3n-e4b", 6.87e9},
    {"gpt-oss-20b", 20.91e9},  // gpt-oss model card, table 1
    {"gpt-oss-120b", 116.83e9},
    {"glm-4.5-air", 106e9},  // GLM-4.5 technical report, without the layer that guesses ahead
    {"glm-4.5", 355e9},
    {"llama4-scout", 107.77e9},  // llama-bench (17Bx16E), without vision
    {"llama4-maverick", 400.71e9},
    {"deepseek-v3.2", 671e9 + 61 * 13.96e6},  // DeepSeek-V3 and an indexer of 7168 x (64 + 128) + 1536 x 8192 per layer
    {"kimi-k2", 1.026e12},                    // moonshotai/Kimi-K2-Instruct; 1 T as it is known
};
constexpr std::size_t kExact = 11;  // of these are known to the digit

class PublishedCounts : public testing::TestWithParam<Published> {};

// Rounded figures are within a percent.
TEST_P(PublishedCounts, AreReachedWithinAPercent) {
  const Preset* preset = find_preset(GetParam().preset);
  ASSERT_NE(preset, nullptr);
  ASSERT_TRUE(check(preset->config).ok());
  const Model model = build_model("m", preset->config, "bf16");
  const auto parameters = static_cast<double>(model.parameters());
  EXPECT_NEAR(parameters / GetParam().parameters, 1.0, 0.01) << parameters;
  EXPECT_TRUE(model.notes.empty());
}
INSTANTIATE_TEST_SUITE_P(Llm, PublishedCounts, testing::ValuesIn(kPublished));

TEST(PublishedCounts, CoverEveryPreset) {
  std::set<std::string_view> counted;
  for (const Published& published : kPublished) counted.insert(published.preset);
  for (const Preset& preset : presets()) EXPECT_TRUE(counted.contains(preset.name)) << preset.name;
}

TEST(BuildModel, CountsAreExactToTheParameter) {
  for (const Published& published : std::span(kPublished).first(kExact)) {
    const Model model = build_model("m", find_preset(published.preset)->config, "bf16");
    EXPECT_EQ(static_cast<double>(model.parameters()), published.parameters) << published.preset;
  }
}

TEST(BuildModel, MixtureOfTypesHasThePublishedSizeOfFile) {
  // Meta-Llama-3-8B Q4_K_M as published is 4.92 GB, 5.2 MB of which are words and metadata.
  const Model model = build_model("m", find_preset("llama-8b")->config, "q4_k_m");
  EXPECT_NEAR(static_cast<double>(model.weight_bytes()) / 4.915e9, 1.0, 0.005);
}

TEST(BuildModel, NamesAndParts) {
  const Model model = build_model("m", find_preset("deepseek-v2-lite")->config, "q8_0");
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(model.tensors, name, &Tensor::name);
    EXPECT_NE(found, model.tensors.end()) << name;
    return *found;
  };
  EXPECT_EQ(find("token_embd.weight").part, Part::kInput);
  EXPECT_EQ(find("blk.0.ffn_up.weight").part, Part::kUp);
  EXPECT_FALSE(find("blk.0.ffn_up.weight").experts);
  EXPECT_TRUE(find("blk.1.ffn_up_exps.weight").experts);
  EXPECT_EQ(find("blk.1.ffn_up_exps.weight").layer, 1);
  EXPECT_EQ(find("blk.26.ffn_gate_shexp.weight").part, Part::kRest);
  EXPECT_EQ(find("blk.26.ffn_gate_inp.weight").part, Part::kRest);
  EXPECT_EQ(find("output.weight").part, Part::kOutput);
}

TEST(BuildModel, UnknownArchitecturesSayWhatIsGuessed) {
  Config config = find_preset("llama-8b")->config;
  config.architecture = "strange";
  const Model model = build_model("m", config, "f16");
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_NE(model.notes[0].find("'strange' is not known"), std::string::npos);
}

TEST(Config, SizesOutOfBoundsAreRefused) {
  Config config = find_preset("llama-8b")->config;
  config.layers = 0;
  EXPECT_EQ(check(config).error().message, "layers 0 is out of bounds; it must be from 1 to 4096");
  config.layers = 32;
  config.experts = 8;
  config.experts_used = 9;
  EXPECT_FALSE(check(config).ok());
}

}  // namespace
}  // namespace berth::llm
