// SPDX-License-Identifier: Apache-2.0
// Public models by name, from their published configurations: what `berth llm llama-8b` and `zoo:llama-8b,mode=decode`
// take where there is no file.
#pragma once

#include <span>
#include <string_view>

#include "serving/model.h"

namespace berth::llm {

struct Preset {
  std::string_view name;     // "llama-8b"
  std::string_view summary;  // "Llama 3.1 8B (Meta, 2024)"
  Config config;
  std::string_view weights = "q4_k_m";  // what a GGUF file of it holds most often
};

std::span<const Preset> presets();  // the only list
const Preset* find_preset(std::string_view name);

}  // namespace berth::llm
