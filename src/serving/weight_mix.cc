// SPDX-License-Identifier: Apache-2.0
#include "serving/weight_mix.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::llm {
namespace {

constexpr WeightMix plain(std::string_view name, std::string_view base, std::string_view output_of_8 = "") {
  return {.name = name, .base = base, .output_of_8 = output_of_8};
}

// With the fewest bits: chosen for the words, and for values of mixtures and of grouped heads.
constexpr WeightMix tiny(std::string_view name, std::string_view base, std::string_view words,
                         std::string_view output) {
  return {.name = name,
          .base = base,
          .head = "q5_k",
          .words = words,
          .v = words,
          .v_of_groups = "q4_k",
          .more_down = words,
          .more_down_in = Stretch::kFirstEighth,
          .output = output};
}

constexpr WeightMix grouped_v(std::string_view name, std::string_view base, std::string_view v) {
  return {.name = name, .base = base, .v_of_groups = v};
}

constexpr WeightMix kThreeBitMedium{.name = "q3_k_m",
                                    .base = "q3_k",
                                    .v = "q4_k",
                                    .more_v = "q5_k",
                                    .more_v_in = Stretch::kFirstTwo,
                                    .down = "q4_k",
                                    .more_down = "q5_k",
                                    .more_down_in = Stretch::kFirstSixteenth,
                                    .output = "q4_k"};

constexpr WeightMix small(std::string_view name, std::string_view base, std::string_view more) {
  return {.name = name,
          .base = base,
          .more_v = more,
          .more_v_in = Stretch::kFirstFour,
          .more_down = more,
          .more_down_in = Stretch::kFirstEighth};
}

constexpr WeightMix medium(std::string_view name, std::string_view base, std::string_view output_of_8 = "q5_k") {
  return {.name = name,
          .base = base,
          .more_v = "q6_k",
          .more_v_in = Stretch::kSpread,
          .more_down = "q6_k",
          .more_down_in = Stretch::kSpread,
          .output_of_8 = output_of_8};
}

constexpr WeightMix renamed(std::string_view name, WeightMix mix) {
  mix.name = name;
  return mix;
}

constexpr std::array kMixes{
    WeightMix{.name = "q8_0", .base = "q8_0", .head = "q8_0", .output_of_8 = ""},
    plain("q6_k", "q6_k"),
    plain("q5_k_s", "q5_k"),
    medium("q5_k_m", "q5_k", ""),
    medium("q5_k", "q5_k", ""),
    small("q4_k_s", "q4_k", "q5_k"),
    medium("q4_k_m", "q4_k"),
    medium("q4_k", "q4_k"),
    plain("q4_0", "q4_0"),
    plain("q4_1", "q4_1"),
    plain("q5_0", "q5_0"),
    plain("q5_1", "q5_1"),
    plain("q3_k_s", "q3_k", "q5_k"),
    kThreeBitMedium,
    renamed("q3_k", kThreeBitMedium),
    WeightMix{.name = "q3_k_l", .base = "q3_k", .v = "q5_k", .down = "q5_k", .output = "q5_k", .output_of_8 = ""},
    WeightMix{.name = "q2_k", .base = "q2_k", .v = "q3_k", .v_of_groups = "q4_k", .down = "q3_k", .output = "q3_k"},
    WeightMix{.name = "q2_k_s",
              .base = "q2_k",
              .v_of_groups = "q4_k",
              .more_down = "q4_k",
              .more_down_in = Stretch::kFirstEighth,
              .output_of_8 = ""},
    grouped_v("iq4_nl", "iq4_nl", "q5_k"),
    grouped_v("iq4_xs", "iq4_xs", "q5_k"),
    WeightMix{.name = "iq3_m",
              .base = "iq3_s",
              .v = "q4_k",
              .more_down = "q4_k",
              .more_down_in = Stretch::kFirstEighth,
              .more_down_of_8_in = Stretch::kSpread,
              .output = "q4_k"},
    grouped_v("iq3_s", "iq3_s", "q4_k"),
    WeightMix{.name = "iq3_xs",
              .base = "iq3_s",
              .v_of_groups = "q4_k",
              .queries_and_keys = "iq3_xxs",
              .middle_gate_up = "iq3_xxs"},
    WeightMix{.name = "iq3_xxs",
              .base = "iq3_xxs",
              .head = "q5_k",
              .words = "iq3_s",
              .v_of_groups = "q4_k",
              .output = "iq3_s",
              .queries_and_keys = "iq2_s"},
    tiny("iq2_m", "iq2_s", "iq3_s", "iq3_s"),
    tiny("iq2_s", "iq2_xs", "iq3_s", "iq3_s"),
    tiny("iq2_xs", "iq2_xs", "q2_k", ""),
    tiny("iq2_xxs", "iq2_xxs", "q2_k", ""),
    tiny("iq1_m", "iq1_m", "q2_k", "iq2_xxs"),
    tiny("iq1_s", "iq1_s", "q2_k", "iq2_xxs"),
    WeightMix{.name = "tq2_0", .base = "tq2_0", .words = "q4_k", .output_of_8 = ""},
    WeightMix{.name = "tq1_0", .base = "tq1_0", .words = "q4_k", .output_of_8 = ""},
    WeightMix{
        .name = "mxfp4", .base = "q8_0", .head = "q8_0", .output_of_8 = ""},  // and experts as their makers store them
};

bool is_in(Stretch stretch, std::int64_t layer, std::int64_t layers) {
  switch (stretch) {
    case Stretch::kNone:
      return false;
    case Stretch::kFirstTwo:
      return layer < 2;
    case Stretch::kFirstFour:
      return layer < 4;
    case Stretch::kFirstEighth:
      return layer < layers / 8;
    case Stretch::kFirstSixteenth:
      return layer < layers / 16;
    case Stretch::kSpread:  // the first and the last eighth, and every third between them
      return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    case Stretch::kMiddle:
      break;
  }
  return layer >= layers / 8 && layer < 7 * layers / 8;
}

bool is_tiny(const WeightMix& mix) { return mix.base.starts_with("iq1") || mix.base.starts_with("iq2"); }

std::string_view type_of_values(const WeightMix& mix, const Config& config, std::int64_t layer) {
  if (config.experts == 8 && !is_tiny(mix)) return "q8_0";
  const bool grouped = config.kv_heads > 0 && config.heads / config.kv_heads >= 4;
  std::string_view type = mix.v;
  if (!mix.v_of_groups.empty() && (grouped || (is_tiny(mix) && config.experts >= 4))) type = mix.v_of_groups;
  if (is_in(mix.more_v_in, layer, config.layers)) type = mix.more_v;
  // Where eight heads share the values of a large model, llama.cpp spends a bit more on them.
  const bool is_70b = config.layers == 80 && config.experts == 0 && !is_tiny(mix);
  const std::string_view stored = type.empty() ? mix.base : type;
  return is_70b && (stored == "q3_k" || stored == "q4_k") ? "q5_k" : type;
}

std::string_view wanted_type(const WeightMix& mix, const Config& config, const MatrixToStore& matrix) {
  const auto is = [&](std::string_view name) { return matrix.name == name; };
  const bool words = is("token_embd") || is("per_layer_token_embd");
  if (is("output") || (words && config.tied)) return mix.head;
  if (mix.name == "mxfp4") return matrix.experts ? "mxfp4" : "q8_0";
  if (words) return mix.words;
  if (is("attn_v") || is("attn_qkv") || is("attn_kv_b")) return type_of_values(mix, config, matrix.layer);
  const bool of_8 = config.experts == 8;
  if (of_8 && is("attn_k")) return is_tiny(mix) ? "q4_k" : "q8_0";
  if (is("attn_k") || is("attn_q")) return mix.queries_and_keys;
  if (is("attn_output")) return of_8 && !mix.output_of_8.empty() ? mix.output_of_8 : mix.output;
  if (matrix.name.starts_with("ffn_down")) {
    const bool is_more = is_in(mix.more_down_in, matrix.layer, config.layers) ||
                         (of_8 && is_in(mix.more_down_of_8_in, matrix.layer, config.layers));
    return is_more ? mix.more_down : mix.down;
  }
  const bool inner = matrix.name.starts_with("ffn_gate") || matrix.name.starts_with("ffn_up");
  return inner && is_in(Stretch::kMiddle, matrix.layer, config.layers) ? mix.middle_gate_up : std::string_view();
}

// What llama.cpp takes where rows are no whole blocks.
constexpr auto kSmallerBlocks = std::to_array<std::pair<std::string_view, std::string_view>>({{"iq", "iq4_nl"},
                                                                                              {"q2_k", "q4_0"},
                                                                                              {"q3_k", "q4_0"},
                                                                                              {"tq", "q4_0"},
                                                                                              {"q4_k", "q5_0"},
                                                                                              {"q5_k", "q5_1"},
                                                                                              {"q6_k", "q8_0"}});

}  // namespace

const WeightMix* find_weight_mix(std::string_view name) {
  const auto same = [&](const WeightMix& mix) {
    return std::ranges::equal(mix.name, name, [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
  };
  const auto found = std::ranges::find_if(kMixes, same);
  return found != kMixes.end() ? &*found : nullptr;
}

const GgmlType& mixed_type(const WeightMix& mix, const Config& config, const MatrixToStore& matrix) {
  const std::string_view wanted = wanted_type(mix, config, matrix);
  const GgmlType* type = find_ggml_type(wanted.empty() ? mix.base : wanted);
  if (matrix.row % type->block_elements == 0) return *type;
  if (matrix.name == "output") return *find_ggml_type("q8_0");
  const auto smaller =
      std::ranges::find_if(kSmallerBlocks, [&](const auto& entry) { return type->name.starts_with(entry.first); });
  if (smaller != kSmallerBlocks.end()) type = find_ggml_type(smaller->second);
  return matrix.row % type->block_elements == 0 ? *type : *find_ggml_type("f16");
}

}  // namespace berth::llm
