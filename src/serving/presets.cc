// SPDX-License-Identifier: Apache-2.0
// Sizes from the config.json that the makers published with each model.
#include "serving/presets.h"

#include <algorithm>
#include <iterator>
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

// Every so many-th layer looks at everything, the others at a window.
Config windowed(Config config, std::int64_t window, std::int64_t period) {
  config.window = window;
  config.attention = all_but_every(period, Attention::kWindow, config.layers);
  return config;
}

Config with_shared(Config config, std::int64_t dense_layers, std::int64_t shared_ffn) {
  config.dense_layers = dense_layers;
  config.shared_ffn = shared_ffn;
  return config;
}

Config every(Config config, std::int64_t expert_step) {
  config.expert_step = expert_step;
  return config;
}

// Gemma 3n: the last layers read the caches of earlier ones.
Config with_streams(Config config, std::int64_t cache_layers) {
  config.cache_layers = cache_layers;
  config.layer_embedding = 256;
  return config;
}

// Qwen3-Next: three of four layers keep a state.
Config with_states(Config config) {
  config.attention = all_but_every(4, Attention::kState, config.layers);
  config.state = {.kernel = 4, .inner = 32 * 128, .state = 128, .groups = 16, .heads = 32};
  return config;
}

Config with_indexer(Config config) {
  config.architecture = "deepseek32";
  config.indexer_heads = 64;
  config.indexer_width = 128;
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

Config gpt_oss(std::int64_t layers, std::int64_t experts) {
  return windowed(with_experts(dense("gpt-oss", layers, 2880, 64, 8, 64, 2880, 201'088, 131'072), experts, 4, 2880),
                  128, 2);
}

Config gemma3(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads, std::int64_t width,
              std::int64_t ffn) {
  return windowed(tied(dense("gemma3", layers, hidden, heads, kv_heads, width, ffn, 262'144, 131'072)), 1024, 6);
}

Config gemma3n(std::int64_t layers, std::int64_t ffn) {
  return windowed(with_streams(tied(dense("gemma3n", layers, 2048, 8, 2, 256, ffn, 262'144, 32'768)), 20), 512, 5);
}

Config llama4(std::int64_t experts, std::int64_t step, std::int64_t context) {
  const Config words = dense("llama4", 48, 5120, 40, 8, 128, 16'384, 202'048, context);
  return windowed(every(with_shared(with_experts(words, experts, 1, 8192), 0, 8192), step), 8192, 4);
}

Config deepseek_v3() {
  return latent(with_experts(dense("deepseek2", 61, 7168, 128, 128, 0, 18'432, 129'280, 163'840), 256, 8, 2048), 1536,
                3, 2048);
}

std::vector<Preset> others();

std::vector<Preset> all() {
  std::vector<Preset> presets = {
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
      {"deepseek-v3", "DeepSeek-V3 671B, a mixture of experts with latent attention (2024)", deepseek_v3()},
  };
  std::ranges::move(others(), std::back_inserter(presets));
  return presets;
}

// From windows, states and mixtures of 2025 on.
std::vector<Preset> others() {
  return {
      {"mixtral-8x22b", "Mixtral 8x22B (Mistral AI, 2024)",
       with_experts(dense("llama", 56, 6144, 48, 8, 128, 16'384, 32'000, 65'536), 8, 2, 16'384)},
      {"qwen3-32b", "Qwen3 32B (Alibaba, 2025)", dense("qwen3", 64, 5120, 64, 8, 128, 25'600, 151'936, 40'960)},
      {"qwen3-235b-a22b", "Qwen3 235B-A22B, a mixture of experts (Alibaba, 2025)",
       with_experts(dense("qwen3moe", 94, 4096, 64, 4, 128, 12'288, 151'936, 40'960), 128, 8, 1536)},
      {"qwen3-next-80b-a3b",
       "Qwen3-Next 80B-A3B, a mixture of experts, three of four layers with a state (Alibaba, 2025)",
       with_states(with_shared(
           with_experts(dense("qwen3next", 48, 2048, 16, 2, 256, 5120, 151'936, 262'144), 512, 10, 512), 0, 512))},
      {"gemma3-1b", "Gemma 3 1B (Google, 2025)",
       windowed(tied(dense("gemma3", 26, 1152, 4, 1, 256, 6912, 262'144, 32'768)), 512, 6)},
      {"gemma3-4b", "Gemma 3 4B without its vision tower (Google, 2025)", gemma3(34, 2560, 8, 4, 256, 10'240)},
      {"gemma3-12b", "Gemma 3 12B without its vision tower (Google, 2025)", gemma3(48, 3840, 16, 8, 256, 15'360)},
      {"gemma3-27b", "Gemma 3 27B without its vision tower (Google, 2025)", gemma3(62, 5376, 32, 16, 128, 21'504)},
      {"gemma3n-e2b", "Gemma 3n E2B without its towers (Google, 2025)", gemma3n(30, 8192)},
      {"gemma3n-e4b", "Gemma 3n E4B without its towers (Google, 2025)", gemma3n(35, 16'384)},
      {"gpt-oss-20b", "gpt-oss 20B, a mixture of experts (OpenAI, 2025)", gpt_oss(24, 32), "mxfp4"},
      {"gpt-oss-120b", "gpt-oss 120B, a mixture of experts (OpenAI, 2025)", gpt_oss(36, 128), "mxfp4"},
      {"glm-4.5-air", "GLM-4.5-Air 106B, a mixture of experts (Z.ai, 2025)",
       with_shared(with_experts(dense("glm4moe", 46, 4096, 96, 8, 128, 10'944, 151'552, 131'072), 128, 8, 1408), 1,
                   1408)},
      {"glm-4.5", "GLM-4.5 355B, a mixture of experts (Z.ai, 2025)",
       with_shared(with_experts(dense("glm4moe", 92, 5120, 96, 8, 128, 12'288, 151'552, 131'072), 160, 8, 1536), 3,
                   1536)},
      {"llama4-scout", "Llama 4 Scout 109B-A17B without its vision tower (Meta, 2025)", llama4(16, 1, 10'485'760)},
      {"llama4-maverick", "Llama 4 Maverick 400B-A17B without its vision tower (Meta, 2025)",
       llama4(128, 2, 1'048'576)},
      {"deepseek-v3.2", "DeepSeek-V3.2 671B, latent attention with an indexer (2025)", with_indexer(deepseek_v3())},
      {"kimi-k2", "Kimi K2 1T, a mixture of experts with latent attention (Moonshot AI, 2025)",
       latent(with_experts(dense("deepseek2", 61, 7168, 64, 64, 0, 18'432, 163'840, 131'072), 384, 8, 2048), 1536, 1,
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
