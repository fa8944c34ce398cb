// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "files/json/json_reader.h"
#include "serving/architecture.h"
#include "serving/files/hf_fields.h"
#include "serving/files/hf_packing.h"

namespace berth {
namespace {

Status read_experts(const HfFields& fields, llm::Config& config) {
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
  BERTH_TRY(config.expert_step, fields.number({"interleave_moe_layer_step", "decoder_sparse_step"}));
  if (config.architecture != "llama4") return {};
  config.shared_ffn = config.expert_ffn;  // one expert of the same size that every token visits
  BERTH_TRY(config.ffn, fields.number({"intermediate_size_mlp"}, config.ffn));
  return {};
}

Status read_heads(const HfFields& fields, llm::Config& config) {
  BERTH_TRY(config.heads, fields.required("num_attention_heads"));
  BERTH_TRY(config.kv_heads, fields.number({"num_key_value_heads"}, config.heads));
  BERTH_TRY(config.key_width, fields.number({"head_dim"}, config.hidden / config.heads));
  config.value_width = config.key_width;
  BERTH_TRY(config.kv_rank, fields.number({"kv_lora_rank"}));
  if (config.kv_rank == 0) return {};
  BERTH_TRY(config.query_rank, fields.number({"q_lora_rank"}));
  BERTH_TRY(config.rope_width, fields.number({"qk_rope_head_dim"}));
  BERTH_TRY(const std::int64_t plain, fields.number({"qk_nope_head_dim"}));
  config.key_width = plain + config.rope_width;
  BERTH_TRY(config.value_width, fields.number({"v_head_dim"}, plain));
  BERTH_TRY(config.indexer_width, fields.number({"index_head_dim"}));
  BERTH_TRY(config.indexer_heads, fields.number({"index_n_heads"}));
  return {};
}

constexpr auto kLayerTypes =
    std::to_array<std::pair<std::string_view, llm::Attention>>({{"full_attention", llm::Attention::kFull},
                                                                {"attention", llm::Attention::kFull},
                                                                {"sliding_attention", llm::Attention::kWindow},
                                                                {"chunked_attention", llm::Attention::kWindow},
                                                                {"linear_attention", llm::Attention::kState},
                                                                {"conv", llm::Attention::kState},
                                                                {"mamba", llm::Attention::kState}});

// What every layer looks at: stated layer by layer, or by the family's rule.
std::vector<llm::Attention> kinds_of_layers(const HfFields& fields, const llm::Architecture* family,
                                            const llm::Config& config) {
  const std::vector<std::string> stated = fields.words("layer_types");
  std::vector<llm::Attention> kinds;
  for (const std::string& word : stated) {
    const auto known = std::ranges::find(kLayerTypes, word, &std::pair<std::string_view, llm::Attention>::first);
    kinds.push_back(known != kLayerTypes.end() ? known->second : llm::Attention::kFull);
  }
  if (kinds.size() == static_cast<std::size_t>(config.layers)) return kinds;
  if (family == nullptr || family->period == 0) return {};
  const auto period = fields.number({"sliding_window_pattern", "full_attention_interval"}, family->period);
  return period && *period > 0 ? llm::all_but_every(*period, family->less, config.layers)
                               : std::vector<llm::Attention>();
}

Status read_window(const HfFields& fields, const llm::Architecture* family, llm::Config& config) {
  BERTH_TRY(const bool is_used, fields.truth("use_sliding_window", true));
  config.attention = kinds_of_layers(fields, family, config);
  if (config.attention.empty()) return {};
  const std::int64_t usual = family != nullptr ? family->window : 0;
  BERTH_TRY(config.window, fields.number({"attention_chunk_size", "sliding_window"}, usual));
  if (!is_used) config.window = 0;
  return {};
}

Status read_states(const HfFields& fields, llm::Config& config) {
  BERTH_TRY(config.state.kernel, fields.number({"linear_conv_kernel_dim"}));
  BERTH_TRY(config.state.state, fields.number({"linear_key_head_dim"}));
  BERTH_TRY(config.state.groups, fields.number({"linear_num_key_heads"}));
  BERTH_TRY(config.state.heads, fields.number({"linear_num_value_heads"}));
  BERTH_TRY(const std::int64_t width, fields.number({"linear_value_head_dim"}));
  BERTH_RETURN_IF_ERROR(llm::check(config));
  if (width > 65536) return bad_input("linear_value_head_dim {} is out of bounds", width);
  config.state.inner = config.state.heads * width;
  BERTH_TRY(config.layer_embedding, fields.number({"hidden_size_per_layer_input"}));
  BERTH_TRY(const std::int64_t shared, fields.number({"num_kv_shared_layers"}));
  config.cache_layers = shared > 0 && shared < config.layers ? config.layers - shared : 0;
  return {};
}

std::string weight_type(const std::string& torch_dtype) {
  if (torch_dtype == "float16") return "f16";
  if (torch_dtype == "float32") return "f32";
  return "bf16";
}

// The model type of words, where a model of words and pictures does not say it again.
std::string type_of_words(const std::string& model_type, bool is_nested) {
  const std::string inner = model_type + "_text";
  return is_nested && llm::architecture_of_hf(inner) != nullptr ? inner : model_type;
}

Result<HfConfig> read(const JsonValue& root, const JsonValue& whole, bool is_nested) {
  HfConfig result;
  llm::Config& config = result.config;
  result.model_type = HfFields(root, "").word({"model_type"});
  if (result.model_type.empty()) result.model_type = HfFields(whole, "").word({"model_type"});
  result.model_type = type_of_words(result.model_type, is_nested);
  const HfFields fields(root, result.model_type);
  const llm::Architecture* family = llm::architecture_of_hf(result.model_type);
  config.architecture = family != nullptr ? std::string(family->gguf) : result.model_type;
  BERTH_TRY(config.layers, fields.required("num_hidden_layers"));
  BERTH_TRY(config.hidden, fields.required("hidden_size"));
  BERTH_TRY(config.vocab, fields.required("vocab_size"));
  BERTH_TRY(config.ffn, fields.number({"intermediate_size"}, 4 * config.hidden));
  BERTH_TRY(config.context, fields.number({"max_position_embeddings"}));
  BERTH_RETURN_IF_ERROR(llm::check(config));
  BERTH_RETURN_IF_ERROR(read_heads(fields, config));
  BERTH_RETURN_IF_ERROR(read_window(fields, family, config));
  BERTH_RETURN_IF_ERROR(read_states(fields, config));
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
  const bool is_nested = words && words->is_object() && !root.find("num_hidden_layers");
  BERTH_TRY(HfConfig result, read(is_nested ? *words : root, root, is_nested));
  result.has_towers = root.find("vision_config") || root.find("audio_config");
  for (const JsonValue* place : {&root, is_nested ? &*words : nullptr}) {
    const auto quantization = place != nullptr ? place->find("quantization_config") : std::nullopt;
    if (!quantization || !quantization->is_object()) continue;
    BERTH_TRY(HfPacking packing, read_packing(*quantization));
    result.packing = std::move(packing.packing);
    if (!packing.note.empty()) result.notes.push_back(std::move(packing.note));
    break;
  }
  return result;
}

}  // namespace berth
