// SPDX-License-Identifier: Apache-2.0
// Models built from published configurations have the published number of parameters.
#include "serving/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "serving/presets.h"

namespace berth::llm {
namespace {

// Parameters as the pages of the models' weights state them: the sum over the tensors of the published safetensors
// files
// ("total_parameters"). All but the last were found again, to the digit, in other public projects' records of these
// models; the last is the rounded figure of its report.
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
};

class PublishedCounts : public testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, AreReachedWithinHalfAPercent) {
  const Preset* preset = find_preset(GetParam().preset);
  ASSERT_NE(preset, nullptr);
  ASSERT_TRUE(check(preset->config).ok());
  const Model model = build_model("m", preset->config, "bf16");
  const auto parameters = static_cast<double>(model.parameters());
  EXPECT_NEAR(parameters / GetParam().parameters, 1.0, 0.005) << parameters;
  EXPECT_TRUE(model.notes.empty());
}
INSTANTIATE_TEST_SUITE_P(Llm, PublishedCounts, testing::ValuesIn(kPublished));

TEST(PublishedCounts, CoverEveryPreset) {
  std::set<std::string_view> counted;
  for (const Published& published : kPublished) counted.insert(published.preset);
  for (const Preset& preset : presets()) EXPECT_TRUE(counted.contains(preset.name)) << preset.name;
}

TEST(BuildModel, CountsAreExactToTheParameter) {
  for (const Published& published : kPublished) {
    if (published.preset == "deepseek-v3") continue;  // known rounded only
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
