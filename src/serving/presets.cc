// SPDX-License-Identifier: Apache-2.0
// Sizes from the config.json that the makers published with each model.
#include "serving/presets.h"

#include <algorithm>
#include <vector>

namespace berth::llm {
namespace {

// Layers, width, heads, key-value heads, width of a head, feed-forward width, vocabulary, trained context.
Config dense(std::string architecture, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
             std::int64_t kv_heads, std::int64_t width, std::int64_t ffn, std::int64_t vocab, std::int64_t context) {
  Config config;
  config.architecture = std::move(architecture);
  config.layers = layers;
  config.hidden = hidden;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.key_width = config.value_width = width;
  config.ffn = ffn;
  config.vocab = vocab;
  config.context = context;
  return config;
}

Config tied(Config config) {
  config.tied = true;
  return config;
}

Config with_experts(Config config, std::int64_t experts, std::int64_t used, std::int64_t expert_ffn) {
  config.experts = experts;
  config.experts_used = used;
  config.expert_ffn = expert_ffn;
  return config;
}

Config windowed(Config config, std::int64_t window, std::int64_t pattern) {
  config.window = window;
  config.window_pattern = pattern;
  return config;
}

Config latent(Config config, std::int64_t query_rank, std::int64_t dense_layers, std::int64_t shared_ffn) {
  config.key_width = 192;  // 128 without and 64 with positions
  config.value_width = 128;
  config.query_rank = query_rank;
  config.kv_rank = 512;
  config.rope_width = 64;
  config.dense_layers = dense_layers;
  config.shared_ffn = shared_ffn;
  return config;
}

std::vector<Preset> all() {
  return {
      {"llama-8b", "Llama 3.1 8B (Meta, 2024)", dense("llama", 32, 4096, 32, 8, 128, 14'336, 128'256, 131'072)},
      {"llama-70b", "Llama 3.1 70B (Meta, 2024)", dense("llama", 80, 8192, 64, 8, 128, 28'672, 128'256, 131'072)},
      {"llama2-7b", "Llama 2 7B (Meta, 2023)", dense("llama", 32, 4096, 32, 32, 128, 11'008, 32'000, 4096)},
      {"mistral-7b", "Mistral 7B (Mistral AI, 2023)", dense("llama", 32, 4096, 32, 8, 128, 14'336, 32'000, 32'768)},
      {"mixtral-8x7b", "Mixtral 8x7B (Mistral AI, 2023)",
       with_experts(dense("llama", 32, 4096, 32, 8, 128, 14'336, 32'000, 32'768), 8, 2, 14'336)},
      {"qwen2.5-7b", "Qwen2.5 7B (Alibaba, 2024)", dense("qwen2", 28, 3584, 28, 4, 128, 18'944, 152'064, 32'768)},
      {"qwen3-8b", "Qwen3 8B (Alibaba, 2025)", dense("qwen3", 36, 4096, 32, 8, 128, 12'288, 151'936, 40'960)},
      {"qwen3-30b-a3b", "Qwen3 30B-A3B, a mixture of experts (Alibaba, 2025)",
       with_experts(dense("qwen3moe", 48, 2048, 32, 4, 128, 6144, 151'936, 40'960), 128, 8, 768)},
      {"gemma2-9b", "Gemma 2 9B (Google, 2024)",
       windowed(tied(dense("gemma2", 42, 3584, 16, 8, 256, 14'336, 256'000, 8192)), 4096, 2)},
      {"phi3-mini", "Phi-3 mini 4k (Microsoft, 2024)", dense("phi3", 32, 3072, 32, 32, 96, 8192, 32'064, 4096)},
      {"deepseek-v2-lite", "DeepSeek-V2 Lite, a mixture of experts with latent attention (2024)",
       latent(with_experts(dense("deepseek2", 27, 2048, 16, 16, 0, 10'944, 102'400, 163'840), 64, 6, 1408), 0, 1,
              2 * 1408)},
      {"deepseek-v3", "DeepSeek-V3 671B, a mixture of experts with latent attention (2024)",
       latent(with_experts(dense("deepseek2", 61, 7168, 128, 128, 0, 18'432, 129'280, 163'840), 256, 8, 2048), 1536, 3,
              2048)},
  };
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> list = all();
  return list;
}

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  return found != presets().end() ? &*found : nullptr;
}

}  // namespace berth::llm
