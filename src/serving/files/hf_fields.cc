// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_fields.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

// What transformers 5.23 takes where a config.json says nothing, for models whose published files leave it out.
struct FieldDefault {
  std::string_view model_type, name;
  std::int64_t value;
};
constexpr std::array kFieldDefaults{
    FieldDefault{"gemma3_text", "vocab_size", 262'208},
    FieldDefault{"gemma3_text", "num_attention_heads", 8},
    FieldDefault{"gemma3_text", "num_key_value_heads", 4},
    FieldDefault{"gemma3_text", "head_dim", 256},
    FieldDefault{"gemma3_text", "sliding_window", 4096},
    FieldDefault{"gemma3_text", "max_position_embeddings", 131'072},
    FieldDefault{"gemma3n_text", "vocab_size", 262'400},
    FieldDefault{"gemma3n_text", "hidden_size", 2048},
    FieldDefault{"gemma3n_text", "num_hidden_layers", 35},
    FieldDefault{"gemma3n_text", "intermediate_size", 16'384},
    FieldDefault{"gemma3n_text", "num_attention_heads", 8},
    FieldDefault{"gemma3n_text", "num_key_value_heads", 2},
    FieldDefault{"gemma3n_text", "head_dim", 256},
    FieldDefault{"gemma3n_text", "sliding_window", 512},
    FieldDefault{"gemma3n_text", "num_kv_shared_layers", 15},
    FieldDefault{"gemma3n_text", "hidden_size_per_layer_input", 256},
    FieldDefault{"gemma3n_text", "max_position_embeddings", 32'768},
    FieldDefault{"llama4_text", "vocab_size", 202'048},
    FieldDefault{"llama4_text", "intermediate_size_mlp", 16'384},
    FieldDefault{"llama4_text", "num_local_experts", 16},
    FieldDefault{"llama4_text", "num_experts_per_tok", 1},
    FieldDefault{"llama4_text", "attention_chunk_size", 8192},
    FieldDefault{"gpt_oss", "head_dim", 64},
    FieldDefault{"gpt_oss", "sliding_window", 128},
    FieldDefault{"gpt_oss", "num_experts_per_tok", 4},
    FieldDefault{"qwen3_next", "head_dim", 256},
    FieldDefault{"qwen3_next", "linear_conv_kernel_dim", 4},
    FieldDefault{"qwen3_next", "linear_key_head_dim", 128},
    FieldDefault{"qwen3_next", "linear_value_head_dim", 128},
    FieldDefault{"qwen3_next", "linear_num_key_heads", 16},
    FieldDefault{"qwen3_next", "linear_num_value_heads", 32},
    FieldDefault{"deepseek_v32", "index_head_dim", 128},
    FieldDefault{"deepseek_v32", "index_n_heads", 64},
};

}  // namespace

std::int64_t HfFields::default_of(std::string_view name) const {
  const auto found = std::ranges::find_if(
      kFieldDefaults, [&](const FieldDefault& entry) { return entry.model_type == model_type_ && entry.name == name; });
  return found != kFieldDefaults.end() ? found->value : 0;
}

Result<std::int64_t> HfFields::largest(const JsonValue& value) {
  if (!value.is_array()) return value.integer(0, kLargestSize);
  std::int64_t most = 0;
  BERTH_RETURN_IF_ERROR(value.for_each([&](const JsonValue& entry) -> Status {
    BERTH_TRY(const std::int64_t number, entry.integer(0, kLargestSize));
    most = std::max(most, number);
    return {};
  }));
  return most;
}

Result<std::int64_t> HfFields::number(std::initializer_list<std::string_view> names, std::int64_t otherwise) const {
  for (const std::string_view name : names) {
    const auto value = root_.find(name);
    if (value && !value->is_null()) return largest(*value);
  }
  for (const std::string_view name : names) {
    if (const std::int64_t value = default_of(name); value > 0) return value;
  }
  return otherwise;
}

Result<std::int64_t> HfFields::required(std::string_view name) const {
  const auto value = root_.find(name);
  if (value) return value->integer(1, kLargestSize);
  if (const std::int64_t usual = default_of(name); usual > 0) return usual;
  return bad_input("it lacks '{}'; is it the config.json of a language model?", name);
}

Result<bool> HfFields::truth(std::string_view name, bool otherwise) const {
  const auto value = root_.find(name);
  if (!value || value->is_null()) return otherwise;
  return value->boolean();
}

std::string HfFields::word(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto value = root_.find(name);
    if (!value) continue;
    if (const auto text = value->string()) return std::string(*text);
  }
  return {};
}

std::vector<std::string> HfFields::words(std::string_view name) const {
  std::vector<std::string> texts;
  const auto value = root_.find(name);
  if (!value || !value->is_array()) return texts;
  const Status ignored = value->for_each([&](const JsonValue& entry) -> Status {
    BERTH_TRY(const std::string_view text, entry.string());
    texts.emplace_back(text);
    return {};
  });
  return ignored.ok() ? texts : std::vector<std::string>();
}

}  // namespace berth
