// SPDX-License-Identifier: Apache-2.0
// config.json of Hugging Face transformers: the sizes of a language model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serving/weight_format.h"

namespace berth {

struct HfConfig {
  llm::Config config;
  std::string model_type;                    // "llama"
  std::string weight_type;                   // of what is not packed, as ggml names it: "bf16"; from torch_dtype
  std::optional<llm::Packing> packing = {};  // quantization_config
  bool has_towers = false;                   // for pictures or sound, which only safetensors state
  std::vector<std::string> notes = {};       // what had to be guessed
};

Result<HfConfig> read_hf_config(std::string text);

}  // namespace berth
