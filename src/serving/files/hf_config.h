// SPDX-License-Identifier: Apache-2.0
// config.json of Hugging Face transformers: the sizes of a language model.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "serving/model.h"

namespace berth {

struct HfConfig {
  llm::Config config;
  std::string model_type;   // "llama"
  std::string weight_type;  // of matrices, as ggml names it: "bf16"; from torch_dtype
};

Result<HfConfig> read_hf_config(std::string text);

}  // namespace berth
