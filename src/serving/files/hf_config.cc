// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_config.h"

#include <initializer_list>
#include <optional>

#include "files/json/json_reader.h"
#include "serving/architecture.h"

namespace berth {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

class Fields {
 public:
  explicit Fields(const JsonValue& root) : root_(root) {}

  // The first of these names that is there and not null; an error where it is no number.
  Result<std::int64_t> number(std::initializer_list<std::string_view> names, std::int64_t otherwise = 0) const {
    for (const std::string_view name : names) {
      const auto value = root_.find(name);
      if (!value || value->is_null()) continue;
      return value->integer(0, kLargestSize);
    }
    return otherwise;
  }
  Result<std::int64_t> required(std::string_view name) const {
    const auto value = root_.find(name);
    if (!value) return bad_input("it lacks '{}'; is it the config.json of a language model?", name);
    return value->integer(1, kLargestSize);
  }
  [[nodiscard]] std::string word(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto value = root_.find(name);
      if (!value) continue;
      if (const auto text = value->string()) return std::string(*text);
    }
    return {};
  }
  Result<bool> truth(std::string_view name, bool otherwise) const {
    const auto value = root_.find(name);
    if (!value || value->is_null()) return otherwise;
    return value->boolean();
  }

 private:
  const JsonValue& root_;
};

Status read_experts(const Fields& fields, llm::Config& config) {
  BERTH_TRY(config.experts, fields.number({"num_local_experts", "num_experts", "n_routed_experts"}));
  BERTH_TRY(config.experts_used, fields.number({"num_experts_per_tok"}));
  if (config.experts == 0) {
    config.experts_used = 0;
    return {};
  }
  BERTH_TRY(config.expert_ffn, fields.number({"moe_intermediate_size"}, config.ffn));
  BERTH_TRY(const std::int64_t shared, fields.number({"n_shared_experts"}));
  BERTH_RETURN_IF_ERROR(llm::check(config));
  if (shared > 65536) return bad_input("n_shared_experts {} is out of bounds", shared);
  BERTH_TRY(config.shared_ffn, fields.number({"shared_expert_intermediate_size"}, shared * config.expert_ffn));
  BERTH_TRY(config.dense_layers, fields.number({"first_k_dense_replace"}));
  return {};
}

Status read_attention(const Fields& fields, llm::Config& config) {
  BERTH_TRY(config.heads, fields.required("num_attention_heads"));
  BERTH_TRY(config.kv_heads, fields.number({"num_key_value_heads"}, config.heads));
  BERTH_TRY(config.key_width, fields.number({"head_dim"}, config.hidden / config.heads));
  config.value_width = config.key_width;
  BERTH_TRY(config.kv_rank, fields.number({"kv_lora_rank"}));
  if (config.kv_rank > 0) {
    BERTH_TRY(config.query_rank, fields.number({"q_lora_rank"}));
    BERTH_TRY(config.rope_width, fields.number({"qk_rope_head_dim"}));
    BERTH_TRY(const std::int64_t plain, fields.number({"qk_nope_head_dim"}));
    config.key_width = plain + config.rope_width;
    BERTH_TRY(config.value_width, fields.number({"v_head_dim"}, plain));
  }
  if (config.architecture == "gemma2" || config.architecture == "gemma3") {
    BERTH_TRY(config.window, fields.number({"sliding_window"}));
    config.window_pattern = config.architecture == "gemma2" ? 2 : 6;
  }
  return {};
}

std::string weight_type(const std::string& torch_dtype) {
  if (torch_dtype == "float16") return "f16";
  if (torch_dtype == "float32") return "f32";
  return "bf16";
}

Result<HfConfig> read(const JsonValue& root) {
  const Fields fields(root);
  HfConfig result;
  llm::Config& config = result.config;
  result.model_type = fields.word({"model_type"});
  const llm::Architecture* family = llm::architecture_of_hf(result.model_type);
  config.architecture = family != nullptr ? std::string(family->gguf) : result.model_type;
  BERTH_TRY(config.layers, fields.required("num_hidden_layers"));
  BERTH_TRY(config.hidden, fields.required("hidden_size"));
  BERTH_TRY(config.vocab, fields.required("vocab_size"));
  BERTH_TRY(config.ffn, fields.number({"intermediate_size"}, 4 * config.hidden));
  BERTH_TRY(config.context, fields.number({"max_position_embeddings"}));
  BERTH_RETURN_IF_ERROR(read_attention(fields, config));
  BERTH_RETURN_IF_ERROR(read_experts(fields, config));
  BERTH_TRY(config.tied, fields.truth("tie_word_embeddings", family != nullptr && family->tied));
  result.weight_type = weight_type(fields.word({"torch_dtype", "dtype"}));
  BERTH_RETURN_IF_ERROR(llm::check(config));
  return result;
}

}  // namespace

Result<HfConfig> read_hf_config(std::string text) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(fmt::format("{{\"config\":{}}}", text)));
  BERTH_TRY(const JsonValue root, document.member("config"));
  if (!root.is_object()) return bad_input("it is no JSON object");
  // Models of words and pictures keep the words' part apart.
  const auto words = root.find("text_config");
  return words && words->find("num_hidden_layers") ? read(*words) : read(root);
}

}  // namespace berth
