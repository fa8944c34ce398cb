// SPDX-License-Identifier: Apache-2.0
// Types of GGUF files: "q4_k_m" is no type of a tensor but a rule which tensor has which. The rules are those of
// llama-quantize (llama.cpp b21e4de, src/llama-quant.cpp), with an importance matrix for the types of three bits and
// less that are published with one.
#pragma once

#include <string_view>

#include "serving/model.h"

namespace berth::llm {

// A matrix that is to be stored: its GGUF name without layer and ending, as "attn_v".
struct MatrixToStore {
  std::string_view name;
  std::int64_t layer = -1;  // -1: none
  std::int64_t row = 0, rows = 0;
  bool experts = false;
};

enum class Stretch : std::uint8_t { kNone, kFirstTwo, kFirstFour, kFirstEighth, kFirstSixteenth, kSpread, kMiddle };

// Empty types are the base.
struct WeightMix {
  std::string_view name;           // "q4_k_m"
  std::string_view base;           // of most matrices
  std::string_view head = "q6_k";  // behind the layers; of the words too where they are the head
  std::string_view words = {};
  std::string_view v = {}, v_of_groups = {};  // values; where four heads and more share them
  std::string_view more_v = {};               // in some layers
  Stretch more_v_in = Stretch::kNone;
  std::string_view down = {}, more_down = {};
  Stretch more_down_in = Stretch::kNone, more_down_of_8_in = Stretch::kNone;  // and for mixtures of eight experts
  std::string_view output = {};                                               // of attention
  std::string_view output_of_8 = "q5_k";  // of mixtures of eight experts, for which values are q8_0 as well
  std::string_view queries_and_keys = {};
  std::string_view middle_gate_up = {};  // in the middle three quarters of the layers
};

// By its name in any case; nullptr: there is none.
const WeightMix* find_weight_mix(std::string_view name);

// The type of a matrix, by what it is and where, or one that its rows can be stored in.
const GgmlType& mixed_type(const WeightMix& mix, const Config& config, const MatrixToStore& matrix);

}  // namespace berth::llm
