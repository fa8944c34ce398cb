// SPDX-License-Identifier: Apache-2.0
#include "serving/kv_cache.h"

#include <gtest/gtest.h>

#include <limits>

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

constexpr std::int64_t kLong = 131'072;

// Cells of a window of 128 and a batch of 512 are 768, in multiples of 256.
TEST(KvCache, GptOssKeepsEveryTokenInEveryOtherLayer) {
  const Bytes per_cell = Bytes{2} * 8 * 64 * 2;
  EXPECT_EQ(total("gpt-oss-120b", {.context = kLong}), 18 * per_cell * (kLong + 768));
  EXPECT_NEAR(static_cast<double>(total("gpt-oss-120b", {.context = kLong})) / 0x1.0p30, 4.5, 0.05);
  EXPECT_EQ(total("gpt-oss-20b", {.context = 8192}), 12 * per_cell * (8192 + 768));
}

// llama.cpp: "n_embd_r" = 3 x 8192 and "n_embd_s" = 128 x 4096 numbers of single precision in 36 of 48 layers.
TEST(KvCache, StatesDoNotGrowWithTheContext) {
  const Bytes state = Bytes{4} * (3 * 8192 + 128 * 4096), keys = Bytes{2} * 2 * 256 * 2;
  EXPECT_EQ(total("qwen3-next-80b-a3b", {.context = 262'144}), 36 * state + 12 * keys * 262'144);
  EXPECT_EQ(total("qwen3-next-80b-a3b", {.context = 256, .sequences = 4}), 4 * (36 * state + 12 * keys * 256));
  const GgmlType* q8 = find_ggml_type("q8_0");
  EXPECT_EQ(total("qwen3-next-80b-a3b", {.context = 256, .key_type = q8, .value_type = q8}),
            36 * state + 12 * keys * 256 / 2 * 34 / 32)
      << "states stay in single precision";
}

TEST(KvCache, ChunksOfLlama4KeepAChunkAndABatch) {
  const Bytes per_cell = Bytes{2} * 8 * 128 * 2;
  EXPECT_EQ(total("llama4-scout", {.context = kLong}), per_cell * (12 * kLong + 36 * (8192 + 512)));
}

TEST(KvCache, LastLayersOfGemma3nReadThoseOfEarlierOnes) {
  const Bytes per_cell = Bytes{2} * 2 * 256 * 2;
  EXPECT_EQ(total("gemma3n-e4b", {.context = 32'768}), per_cell * (4 * 32'768 + 16 * 1024));
  const Config& config = find_preset("gemma3n-e4b")->config;
  EXPECT_EQ(cache_bytes(config, 34, {.context = 32'768}), 0);
  EXPECT_EQ(cache_bytes_read(config, 34, {}, 4096), static_cast<double>(per_cell) * 4096) << "it looks at everything";
  EXPECT_EQ(cache_bytes_read(config, 33, {}, 4096), static_cast<double>(per_cell) * 512) << "it looks at its window";
}

TEST(KvCache, WindowsOfGemma3AreAllButEverySixth) {
  const Bytes per_cell = Bytes{2} * 16 * 128 * 2;
  EXPECT_EQ(total("gemma3-27b", {.context = kLong}), per_cell * (10 * kLong + 52 * 1536));
}

TEST(KvCache, AnIndexerKeepsOneMoreKey) {
  EXPECT_EQ(total("deepseek-v3.2", {.context = 32'768}), Bytes{61} * 32'768 * (576 + 128) * 2);
  EXPECT_EQ(total("kimi-k2", {.context = 32'768}), Bytes{61} * 32'768 * 576 * 2);
}

TEST(KvCache, WhatNoMemoryHoldsStopsAtTheLargestNumber) {
  Config config = find_preset("llama-8b")->config;
  config.kv_heads = config.key_width = config.value_width = 65'536;  // as a file may say
  const CacheSettings settings{.context = Bytes{1} << 32, .sequences = 4096};
  EXPECT_EQ(cache_bytes(config, 0, settings), std::numeric_limits<Bytes>::max());
  EXPECT_EQ(cache_bytes(config, settings), std::numeric_limits<Bytes>::max());
}

TEST(KvCache, GroupedHeadsOfGlm) { EXPECT_EQ(total("glm-4.5", {.context = kLong}), Bytes{92} * kLong * 2 * 1024 * 2); }

}  // namespace
}  // namespace berth::llm
