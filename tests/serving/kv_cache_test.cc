// SPDX-License-Identifier: Apache-2.0
#include "serving/kv_cache.h"

#include <gtest/gtest.h>

#include "serving/presets.h"

namespace berth::llm {
namespace {

Bytes total(std::string_view preset, CacheSettings settings) {
  return cache_bytes(find_preset(preset)->config, settings);
}

// What llama.cpp prints: "KV self size = 1024.00 MiB" for an 8 B model of 8 key-value heads at 8192 tokens in f16.
TEST(KvCache, FollowsTheFormulaOfLlamaCpp) {
  EXPECT_EQ(total("llama-8b", {.context = 8192}), Bytes{1024} << 20);  // 32 layers * 8192 * (1024 + 1024) * 2 bytes
  EXPECT_EQ(total("llama-70b", {.context = 8192}), Bytes{2560} << 20);
  EXPECT_EQ(total("llama2-7b", {.context = 4096}), Bytes{2048} << 20);
  const GgmlType* q8 = find_ggml_type("q8_0");
  EXPECT_EQ(total("llama-8b", {.context = 8192, .key_type = q8, .value_type = q8}), (Bytes{1024} << 20) / 2 * 34 / 32);
}

TEST(KvCache, CellsAreMultiplesOf256) {
  EXPECT_EQ(total("llama-8b", {.context = 1}), total("llama-8b", {.context = 256}));
  EXPECT_EQ(total("llama-8b", {.context = 100, .sequences = 5}), total("llama-8b", {.context = 5 * 256}))
      << "each sequence for itself";
}

TEST(KvCache, WindowsLimitEveryOtherLayerOfGemma2) {
  // 21 layers hold 8192 cells, 21 hold the window of 4096 and a batch of 512.
  const Bytes per_cell = Bytes{2} * 8 * 256 * 2;
  EXPECT_EQ(total("gemma2-9b", {.context = 8192}), per_cell * 21 * (8192 + 4608));
  EXPECT_EQ(total("gemma2-9b", {.context = 8192, .sequences = 3}), 3 * per_cell * 21 * (8192 + 4608));
}

TEST(KvCache, LatentAttentionKeepsOneNarrowVector) {
  // 61 layers of 512 + 64 elements: the 70 KB per token of DeepSeek-V3.
  EXPECT_EQ(total("deepseek-v3", {.context = 1024}), Bytes{61} * 1024 * 576 * 2);
}

}  // namespace
}  // namespace berth::llm
