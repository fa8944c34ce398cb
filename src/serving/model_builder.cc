// SPDX-License-Identifier: Apache-2.0
// build_model() of serving/architecture.h: the tensors of a model of which only the configuration is known.
#include <fmt/format.h>

#include "base/check.h"
#include "serving/architecture.h"

namespace berth::llm {
namespace {

constexpr std::int64_t kStreams = 4, kLowRank = 64;  // of Gemma 3n, in all its sizes

class Builder {
 public:
  Builder(std::string title, const Config& config, const Architecture& family, const WeightFormat& format)
      : c_(config), family_(family), format_(format) {
    model_.title = std::move(title);
    model_.config = config;
  }

  Model build() && {
    matrix("token_embd", c_.hidden, c_.vocab);
    if (family_.side_streams) streams_of_words();
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
    if (c_.has_state(layer_)) {
      linear_attention();
    } else if (c_.is_latent()) {
      latent_attention();
    } else {
      attention();
    }
    if (family_.post_norms) norm("post_attention_norm", c_.hidden);
    if (!family_.plain_ffn) norm("ffn_norm", c_.hidden);
    if (family_.side_streams) streams_of_layer();
    if (c_.has_experts(layer_)) {
      experts();
    } else {
      feed_forward("", c_.ffn);
    }
    if (family_.post_norms) norm("post_ffw_norm", c_.hidden);
  }

  void attention() {
    const std::int64_t q = c_.heads * c_.key_width * (family_.output_gate ? 2 : 1);
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
    if (family_.plain_ffn || family_.sinks) vector("attn_output.bias", c_.hidden);
    if (family_.sinks) vector("attn_sinks.weight", c_.heads);
  }

  // Gated delta nets (Qwen3-Next, 2025): a matrix per head takes the place of keys and values.
  void linear_attention() {
    const StateSizes& sizes = c_.state;
    matrix("attn_qkv", c_.hidden, sizes.channels());
    matrix("attn_gate", c_.hidden, sizes.inner);
    add("ssm_conv1d.weight", sizes.kernel, sizes.channels());
    vector("ssm_dt.bias", sizes.heads);
    vector("ssm_a", sizes.heads);
    matrix("ssm_ba", c_.hidden, 2 * sizes.heads);
    if (sizes.heads > 0) norm("ssm_norm", sizes.inner / sizes.heads);
    matrix("ssm_out", sizes.inner, c_.hidden);
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
    if (c_.indexer_width == 0) return;
    norm("indexer.k_norm", c_.indexer_width);
    vector("indexer.k_norm.bias", c_.indexer_width);
    matrix("indexer.proj", c_.hidden, c_.indexer_heads);
    matrix("indexer.attn_k", c_.hidden, c_.indexer_width);
    matrix("indexer.attn_q_b", c_.query_rank, c_.indexer_heads * c_.indexer_width);
  }

  // Gemma 3n (2025): kStreams streams beside each other, low-rank paths around attention, words that every layer adds.
  void streams_of_words() {
    const std::int64_t added = c_.layer_embedding * c_.layers;
    matrix("per_layer_token_embd", added, c_.vocab);
    add("per_layer_model_proj.weight", c_.hidden, added);
    norm("per_layer_proj_norm", c_.layer_embedding);
    add("altup_proj.weight", c_.hidden, c_.hidden * (kStreams - 1));
    add("altup_unembd_proj.weight", c_.hidden, c_.hidden * (kStreams - 1));
  }
  void streams_of_layer() {
    matrix("inp_gate", c_.hidden, c_.layer_embedding);
    matrix("proj", c_.layer_embedding, c_.hidden);
    norm("post_norm", c_.hidden);
    add("altup_correct_coef.weight", kStreams, kStreams);
    vector("altup_correct_scale.weight", c_.hidden);
    add("altup_predict_coef.weight", kStreams, kStreams * kStreams);
    add("altup_router.weight", c_.hidden, kStreams);
    norm("altup_router_norm", c_.hidden);
    add("laurel_l.weight", c_.hidden, kLowRank);
    add("laurel_r.weight", kLowRank, c_.hidden);
    norm("laurel_post_norm", c_.hidden);
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
    add("ffn_gate_inp.weight", c_.hidden, c_.experts);
    matrix("ffn_gate_exps", c_.hidden, c_.expert_ffn * c_.experts);
    matrix("ffn_up_exps", c_.hidden, c_.expert_ffn * c_.experts);
    matrix("ffn_down_exps", c_.expert_ffn, c_.hidden * c_.experts);
    if (family_.corrected_router) vector("exp_probs_b.bias", c_.experts);
    if (family_.sinks) {
      vector("ffn_gate_inp.bias", c_.experts);
      vector("ffn_gate_exps.bias", c_.expert_ffn * c_.experts);
      vector("ffn_up_exps.bias", c_.expert_ffn * c_.experts);
      vector("ffn_down_exps.bias", c_.hidden * c_.experts);
    }
    if (c_.shared_ffn == 0) return;
    feed_forward("_shexp", c_.shared_ffn);
    if (family_.shared_gate) add("ffn_gate_inp_shexp.weight", c_.hidden, 1);
  }

  void norm(std::string_view name, std::int64_t width) {
    vector(fmt::format("{}.weight", name), width);
    if (family_.plain_ffn) vector(fmt::format("{}.bias", name), width);
  }
  void vector(std::string_view name, std::int64_t width) { add(name, width, 1); }

  // In the format's type, by its name without ending.
  void matrix(std::string_view name, std::int64_t row, std::int64_t rows) {
    const MatrixToStore stored{
        .name = name, .layer = layer_, .row = row, .rows = rows, .experts = name.ends_with("_exps")};
    push(fmt::format("{}.weight", name), row * rows, format_.bytes(c_, stored));
  }
  // In single precision, as nobody packs them.
  void add(std::string_view name, std::int64_t row, std::int64_t rows) {
    push(std::string(name), row * rows, row * rows * static_cast<Bytes>(sizeof(float)));
  }
  void push(std::string name, std::int64_t elements, Bytes bytes) {
    std::string full = layer_ < 0 ? std::move(name) : fmt::format("blk.{}.{}", layer_, name);
    model_.tensors.push_back(classify(std::move(full), elements, bytes));
  }

  const Config& c_;
  const Architecture& family_;
  const WeightFormat& format_;
  Model model_;
  std::int64_t layer_ = -1;
};

}  // namespace

Model build_model(std::string title, const Config& config, const WeightFormat& format) {
  const Architecture* family = architecture_of_gguf(config.architecture);
  const bool known = family != nullptr;
  Model model = Builder(std::move(title), config, known ? *family : architectures().front(), format).build();
  if (!known) {
    model.notes.push_back(fmt::format(
        "architecture '{}' is not known: its layers are guessed to be those of llama, each with keys and values of "
        "every token, so sizes and speed are estimates; the cache is too high if layers have a window or a state. "
        "A GGUF or safetensors file gives the true tensors",
        config.architecture));
  }
  return model;
}

Model build_model(std::string title, const Config& config, std::string_view weight_type) {
  const Result<WeightFormat> format = WeightFormat::find(weight_type);
  BERTH_CHECK(format.ok());
  return build_model(std::move(title), config, *format);
}

}  // namespace berth::llm
