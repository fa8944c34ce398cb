// SPDX-License-Identifier: Apache-2.0
#include "serving/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace berth::llm {
namespace {

constexpr std::string_view kMixture = "q4_k_m";

constexpr std::array kArchitectures{
    Architecture{.gguf = "llama", .hf = "llama"},
    Architecture{.gguf = "llama", .hf = "mistral"},
    Architecture{.gguf = "llama", .hf = "mixtral"},
    Architecture{.gguf = "qwen2", .hf = "qwen2", .query_bias = true},
    Architecture{.gguf = "qwen2moe", .hf = "qwen2_moe", .query_bias = true, .shared_gate = true},
    Architecture{.gguf = "qwen3", .hf = "qwen3", .head_norms = true},
    Architecture{.gguf = "qwen3moe", .hf = "qwen3_moe", .head_norms = true},
    Architecture{.gguf = "gemma", .hf = "gemma", .tied = true},
    Architecture{.gguf = "gemma2", .hf = "gemma2", .post_norms = true, .tied = true},
    Architecture{.gguf = "gemma3", .hf = "gemma3_text", .head_norms = true, .post_norms = true, .tied = true},
    Architecture{.gguf = "phi2", .hf = "phi", .query_bias = true, .joint_qkv = true, .plain_ffn = true},
    Architecture{.gguf = "phi3", .hf = "phi3", .joint_qkv = true, .joint_gate_up = true},
    Architecture{.gguf = "deepseek2", .hf = "deepseek_v2"},
    Architecture{.gguf = "deepseek2", .hf = "deepseek_v3"},
};

// Layers where llama.cpp's mixtures spend more bits.
bool has_more_bits(std::int64_t layer, std::int64_t layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

class Builder {
 public:
  Builder(std::string title, const Config& config, const Architecture& family, std::string_view weight_type)
      : c_(config), family_(family), type_(weight_type) {
    model_.title = std::move(title);
    model_.config = config;
  }

  Model build() && {
    matrix("token_embd", c_.hidden, c_.vocab);
    for (layer_ = 0; layer_ < c_.layers; ++layer_) layer();
    layer_ = -1;
    norm("output_norm", c_.hidden);
    if (!c_.tied) matrix("output", c_.hidden, c_.vocab);
    if (family_.plain_ffn) vector("output.bias", c_.vocab);
    return std::move(model_);
  }

 private:
  void layer() {
    norm("attn_norm", c_.hidden);
    if (c_.is_latent()) {
      latent_attention();
    } else {
      attention();
    }
    if (family_.post_norms) norm("post_attention_norm", c_.hidden);
    if (!family_.plain_ffn) norm("ffn_norm", c_.hidden);
    if (c_.experts > 0 && layer_ >= c_.dense_layers) {
      experts();
    } else {
      feed_forward("", c_.ffn);
    }
    if (family_.post_norms) norm("post_ffw_norm", c_.hidden);
  }

  void attention() {
    const std::int64_t q = c_.heads * c_.key_width;
    const std::int64_t k = c_.kv_heads_at(layer_) * c_.key_width, v = c_.kv_heads_at(layer_) * c_.value_width;
    if (family_.joint_qkv) {
      matrix("attn_qkv", c_.hidden, q + k + v);
      if (family_.query_bias) vector("attn_qkv.bias", q + k + v);
    } else {
      matrix("attn_q", c_.hidden, q);
      matrix("attn_k", c_.hidden, k);
      matrix("attn_v", c_.hidden, v);
      if (family_.query_bias) {
        vector("attn_q.bias", q);
        vector("attn_k.bias", k);
        vector("attn_v.bias", v);
      }
    }
    if (family_.head_norms) {
      norm("attn_q_norm", c_.key_width);
      norm("attn_k_norm", c_.key_width);
    }
    matrix("attn_output", c_.heads * c_.value_width, c_.hidden);
    if (family_.plain_ffn) vector("attn_output.bias", c_.hidden);
  }

  // Multi-head latent attention (DeepSeek-V2, 2024): keys and values come from one narrow vector per token.
  void latent_attention() {
    const std::int64_t plain = c_.key_width - c_.rope_width;  // the part of a key without positions
    if (c_.query_rank > 0) {
      matrix("attn_q_a", c_.hidden, c_.query_rank);
      norm("attn_q_a_norm", c_.query_rank);
      matrix("attn_q_b", c_.query_rank, c_.heads * c_.key_width);
    } else {
      matrix("attn_q", c_.hidden, c_.heads * c_.key_width);
    }
    matrix("attn_kv_a_mqa", c_.hidden, c_.kv_rank + c_.rope_width);
    norm("attn_kv_a_norm", c_.kv_rank);
    matrix("attn_k_b", plain, c_.kv_rank * c_.heads);
    matrix("attn_v_b", c_.kv_rank, c_.value_width * c_.heads);
    matrix("attn_output", c_.heads * c_.value_width, c_.hidden);
  }

  void feed_forward(std::string_view ending, std::int64_t width) {
    if (family_.plain_ffn) {
      matrix(fmt::format("ffn_up{}", ending), c_.hidden, width);
      vector("ffn_up.bias", width);
      matrix(fmt::format("ffn_down{}", ending), width, c_.hidden);
      vector("ffn_down.bias", c_.hidden);
      return;
    }
    if (!family_.joint_gate_up) matrix(fmt::format("ffn_gate{}", ending), c_.hidden, width);
    matrix(fmt::format("ffn_up{}", ending), c_.hidden, family_.joint_gate_up ? 2 * width : width);
    matrix(fmt::format("ffn_down{}", ending), width, c_.hidden);
  }

  void experts() {
    add("ffn_gate_inp.weight", c_.hidden, c_.experts, "f32");
    matrix("ffn_gate_exps", c_.hidden, c_.expert_ffn * c_.experts);
    matrix("ffn_up_exps", c_.hidden, c_.expert_ffn * c_.experts);
    matrix("ffn_down_exps", c_.expert_ffn, c_.hidden * c_.experts);
    if (c_.shared_ffn == 0) return;
    feed_forward("_shexp", c_.shared_ffn);
    if (family_.shared_gate) add("ffn_gate_inp_shexp.weight", c_.hidden, 1, "f32");
  }

  void norm(std::string_view name, std::int64_t width) {
    add(fmt::format("{}.weight", name), width, 1, "f32");
    if (family_.plain_ffn) add(fmt::format("{}.bias", name), width, 1, "f32");
  }
  void vector(std::string_view name, std::int64_t width) { add(name, width, 1, "f32"); }
  void matrix(std::string_view name, std::int64_t row, std::int64_t rows) {
    add(fmt::format("{}.weight", name), row, rows, matrix_type(name));
  }

  [[nodiscard]] std::string_view matrix_type(std::string_view name) const {
    if (type_ != kMixture) return type_;
    if (name == "output" || (name == "token_embd" && c_.tied)) return "q6_k";
    const bool varies = name.starts_with("attn_v") || name.starts_with("ffn_down");
    return varies && has_more_bits(layer_, c_.layers) ? "q6_k" : "q4_k";
  }

  void add(std::string_view name, std::int64_t row, std::int64_t rows, std::string_view type) {
    std::string full = layer_ < 0 ? std::string(name) : fmt::format("blk.{}.{}", layer_, name);
    model_.tensors.push_back(classify(std::move(full), row * rows, stored_bytes(*find_ggml_type(type), row, rows)));
  }

  const Config& c_;
  const Architecture& family_;
  std::string_view type_;
  Model model_;
  std::int64_t layer_ = -1;
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

Status check_weight_type(std::string_view type) {
  if (type == kMixture || find_ggml_type(type) != nullptr) return {};
  return bad_input("no weight type '{}'; write for example f16, bf16, q8_0, q6_k, q4_k_m or q4_0", type);
}

Model build_model(std::string title, const Config& config, std::string_view weight_type) {
  const Architecture* family = architecture_of_gguf(config.architecture);
  const bool known = family != nullptr;
  Model model = Builder(std::move(title), config, known ? *family : kArchitectures[0], weight_type).build();
  if (!known) {
    model.notes.push_back(fmt::format(
        "architecture '{}' is not known: its layers are guessed to be those of llama, so sizes and speed are "
        "estimates; a GGUF or safetensors file gives the true tensors",
        config.architecture));
  }
  return model;
}

}  // namespace berth::llm
