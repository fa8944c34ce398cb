// SPDX-License-Identifier: Apache-2.0
// Weights of a model without a file are as large as the files that are published of it.
#include "serving/weight_format.h"

#include <gtest/gtest.h>

#include <ostream>

#include "serving/architecture.h"
#include "serving/presets.h"

namespace berth::llm {
namespace {

constexpr double kGiB = 0x1.0p30, kGB = 1e9;

struct PublishedFile {
  std::string_view preset, type;
  double size, unit;
};
std::ostream& operator<<(std::ostream& out, const PublishedFile& file) {
  return out << file.preset << " " << file.type;
}

constexpr PublishedFile kFiles[] = {
    // Llama 3.1 8B: llama.cpp, tools/quantize/README.md (sizes that llama-bench prints).
    {"llama-8b", "iq1_s", 1.87, kGiB},
    {"llama-8b", "iq1_m", 2.01, kGiB},
    {"llama-8b", "iq2_xxs", 2.23, kGiB},
    {"llama-8b", "iq2_xs", 2.42, kGiB},
    {"llama-8b", "iq2_s", 2.56, kGiB},
    {"llama-8b", "iq2_m", 2.74, kGiB},
    {"llama-8b", "iq3_xxs", 3.04, kGiB},
    {"llama-8b", "iq3_xs", 3.27, kGiB},
    {"llama-8b", "iq3_s", 3.42, kGiB},
    {"llama-8b", "iq3_m", 3.52, kGiB},
    {"llama-8b", "iq4_xs", 4.17, kGiB},
    {"llama-8b", "iq4_nl", 4.38, kGiB},
    {"llama-8b", "q2_k_s", 2.78, kGiB},
    {"llama-8b", "q2_k", 2.95, kGiB},
    {"llama-8b", "q3_k_s", 3.41, kGiB},
    {"llama-8b", "q3_k_m", 3.74, kGiB},
    {"llama-8b", "q3_k_l", 4.02, kGiB},
    {"llama-8b", "q4_k_s", 4.36, kGiB},
    {"llama-8b", "q4_k_m", 4.58, kGiB},
    {"llama-8b", "q5_k_s", 5.21, kGiB},
    {"llama-8b", "q5_k_m", 5.33, kGiB},
    {"llama-8b", "q6_k", 6.14, kGiB},
    {"llama-8b", "q8_0", 7.95, kGiB},
    {"llama-8b", "f16", 14.96, kGiB},
    // Llama 3.1 70B: the files' sizes on bartowski's page of Llama-3.1-Nemotron-70B.
    {"llama-70b", "q8_0", 74.98, kGB},
    {"llama-70b", "q6_k", 57.89, kGB},
    {"llama-70b", "q5_k_m", 49.95, kGB},
    {"llama-70b", "q5_k_s", 48.66, kGB},
    {"llama-70b", "q4_k_m", 42.52, kGB},
    {"llama-70b", "q4_k_s", 40.35, kGB},
    {"llama-70b", "q4_0", 40.12, kGB},
    {"llama-70b", "iq4_xs", 37.90, kGB},
    {"llama-70b", "q3_k_l", 37.14, kGB},
    {"llama-70b", "q3_k_m", 34.27, kGB},
    {"llama-70b", "iq3_m", 31.94, kGB},
    {"llama-70b", "q3_k_s", 30.91, kGB},
    {"llama-70b", "q2_k", 24.56, kGiB},  // as llama-bench prints it
    // Mixtral 8x22B: bartowski's page (its iq4_xs was made without an importance matrix, so it is left out).
    {"mixtral-8x22b", "q5_k_m", 99.96, kGB},
    {"mixtral-8x22b", "q5_k_s", 96.97, kGB},
    {"mixtral-8x22b", "q4_k_m", 85.58, kGB},
    {"mixtral-8x22b", "q4_k_s", 80.47, kGB},
    {"mixtral-8x22b", "iq4_nl", 80.47, kGB},
    {"mixtral-8x22b", "q3_k_l", 72.57, kGB},
    {"mixtral-8x22b", "q3_k_m", 67.78, kGB},
    {"mixtral-8x22b", "iq3_m", 64.49, kGB},
    {"mixtral-8x22b", "iq3_s", 61.49, kGB},
    {"mixtral-8x22b", "q3_k_s", 61.49, kGB},
    {"mixtral-8x22b", "iq3_xs", 58.22, kGB},
    {"mixtral-8x22b", "q2_k", 52.10, kGB},
    // Qwen3 30B-A3B: bartowski's page.
    {"qwen3-30b-a3b", "bf16", 61.10, kGB},
    {"qwen3-30b-a3b", "q8_0", 32.48, kGB},
    {"qwen3-30b-a3b", "q6_k", 25.10, kGB},
    {"qwen3-30b-a3b", "q5_k_m", 21.74, kGB},
    {"qwen3-30b-a3b", "q5_k_s", 21.10, kGB},
    // gpt-oss: the checkpoints' sizes in OpenAI's model card (experts in mxfp4, the rest in bf16) are 12.8 and 60.8
    // GiB;
    // GGUF files have q8_0 in place of bf16 (llama.cpp discussion 15396).
    {"gpt-oss-20b", "mxfp4", 11.27, kGiB},
    {"gpt-oss-120b", "mxfp4", 59.02, kGiB},
};

class PublishedFiles : public testing::TestWithParam<PublishedFile> {};

TEST_P(PublishedFiles, AreAsLargeWithinAPercent) {
  const PublishedFile& file = GetParam();
  const Model model = build_model("m", find_preset(file.preset)->config, file.type);
  const double size = static_cast<double>(model.weight_bytes()) / file.unit;
  EXPECT_NEAR(size / file.size, 1.0, 0.01) << file << ": " << size << ", published " << file.size;
}
INSTANTIATE_TEST_SUITE_P(Llm, PublishedFiles, testing::ValuesIn(kFiles));

TEST(WeightFormat, NamesAreReadInAnyCase) {
  const Config& config = find_preset("llama-8b")->config;
  for (const std::string_view name : {"Q4_K_M", "IQ3_XXS", "BF16", "MXFP4", "AWQ"}) {
    EXPECT_TRUE(WeightFormat::find(name).ok()) << name;
  }
  EXPECT_EQ(build_model("m", config, "Q4_K_M").weight_bytes(), build_model("m", config, "q4_k_m").weight_bytes());
  EXPECT_EQ(build_model("m", config, "q4_k").weight_bytes(), build_model("m", config, "q4_k_m").weight_bytes())
      << "as llama-quantize has it";
  EXPECT_NE(WeightFormat::find("q9").error().message.find("no weight type 'q9'"), std::string::npos);
}

TEST(WeightFormat, RowsThatAreNoWholeBlocksGetASmallerType) {
  const Config& config = find_preset("gpt-oss-20b")->config;  // rows of 2880 are 11.25 blocks of 256
  const auto type = [&](std::string_view name, std::int64_t row) {
    return mixed_type(*find_weight_mix("q4_k_m"), config, {.name = name, .layer = 7, .row = row, .rows = 1}).name;
  };
  EXPECT_EQ(type("ffn_up", 2880), "q5_0");
  EXPECT_EQ(type("ffn_up", 4096), "q4_k");
  EXPECT_EQ(type("output", 2880), "q8_0");
  EXPECT_EQ(type("ffn_up", 100), "f16");
}

TEST(WeightFormat, PackingLeavesWordsAndHeadAsTheyAre) {
  // Qwen3-32B-AWQ: 18.0 GiB by the headers of its safetensors.
  const Model model = build_model("m", find_preset("qwen3-32b")->config, "awq");
  EXPECT_NEAR(static_cast<double>(model.weight_bytes()) / kGiB, 18.0, 0.05);
  for (const Tensor& tensor : model.tensors) {
    if (tensor.name != "token_embd.weight") continue;
    EXPECT_EQ(tensor.bytes, 2 * tensor.elements);
  }
}

}  // namespace
}  // namespace berth::llm
