// SPDX-License-Identifier: Apache-2.0
#include "serving/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace berth::llm {
namespace {

constexpr std::array kArchitectures{
    Architecture{.gguf = "llama", .hf = "llama"},
    Architecture{.gguf = "llama", .hf = "mistral"},
    Architecture{.gguf = "llama", .hf = "mixtral"},
    Architecture{.gguf = "llama4", .hf = "llama4_text", .period = 4, .window = 8192},
    Architecture{.gguf = "qwen2", .hf = "qwen2", .query_bias = true},
    Architecture{.gguf = "qwen2", .hf = "qwen2_5_vl", .query_bias = true},
    Architecture{.gguf = "qwen2", .hf = "qwen2_5_vl_text", .query_bias = true},
    Architecture{.gguf = "qwen2moe", .hf = "qwen2_moe", .query_bias = true, .shared_gate = true},
    Architecture{.gguf = "qwen3", .hf = "qwen3", .head_norms = true},
    Architecture{.gguf = "qwen3moe", .hf = "qwen3_moe", .head_norms = true},
    Architecture{.gguf = "qwen3", .hf = "qwen3_vl_text", .head_norms = true},
    Architecture{.gguf = "qwen3moe", .hf = "qwen3_vl_moe_text", .head_norms = true},
    Architecture{.gguf = "qwen3next",
                 .hf = "qwen3_next",
                 .head_norms = true,
                 .shared_gate = true,
                 .output_gate = true,
                 .period = 4,
                 .less = Attention::kState},
    Architecture{.gguf = "gemma", .hf = "gemma", .tied = true},
    Architecture{.gguf = "gemma2", .hf = "gemma2", .post_norms = true, .tied = true, .period = 2},
    Architecture{
        .gguf = "gemma3", .hf = "gemma3_text", .head_norms = true, .post_norms = true, .tied = true, .period = 6},
    Architecture{.gguf = "gemma3n",
                 .hf = "gemma3n_text",
                 .head_norms = true,
                 .post_norms = true,
                 .tied = true,
                 .side_streams = true,
                 .period = 5},
    Architecture{.gguf = "gpt-oss", .hf = "gpt_oss", .query_bias = true, .sinks = true, .period = 2},
    Architecture{.gguf = "glm4moe", .hf = "glm4_moe", .query_bias = true, .corrected_router = true},
    Architecture{.gguf = "phi2", .hf = "phi", .query_bias = true, .joint_qkv = true, .plain_ffn = true},
    Architecture{.gguf = "phi3", .hf = "phi3", .joint_qkv = true, .joint_gate_up = true},
    Architecture{.gguf = "deepseek2", .hf = "deepseek_v2"},
    Architecture{.gguf = "deepseek2", .hf = "deepseek_v3"},
    Architecture{.gguf = "deepseek2", .hf = "kimi_k2"},
    Architecture{.gguf = "deepseek32", .hf = "deepseek_v32", .corrected_router = true},
};

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

const Architecture* architecture_of_gguf(std::string_view name) {
  const auto found = std::ranges::find(kArchitectures, name, &Architecture::gguf);
  return found != kArchitectures.end() ? &*found : nullptr;
}

const Architecture* architecture_of_hf(std::string_view model_type) {
  const auto found = std::ranges::find(kArchitectures, model_type, &Architecture::hf);
  return found != kArchitectures.end() ? &*found : nullptr;
}

}  // namespace berth::llm
