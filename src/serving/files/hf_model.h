// SPDX-License-Identifier: Apache-2.0
// A language model of Hugging Face: a folder with config.json and, if they are there, the headers of its safetensors
// files; or config.json alone. Tensors get their GGUF names; those of single experts become one per layer, a tower for
// pictures or sound with all its tensors one tensor of its module's name. All errors begin with the file's name.
#pragma once

#include <span>
#include <string>

#include "serving/files/hf_config.h"
#include "serving/files/safetensors.h"
#include "serving/model.h"

namespace berth {

// The folder, or its config.json. Without safetensors weights are of the given type; empty: as config.json says.
Result<llm::Model> load_hf_model(const std::string& path, const std::string& weight_type = {});

Result<llm::Model> model_of_hf(const HfConfig& config, std::span<const StoredTensor> tensors, std::string title,
                               const std::string& weight_type = {});

// "model.layers.3.mlp.up_proj.weight" -> "blk.3.ffn_up.weight"; what is not known keeps its words behind "blk.3.".
std::string gguf_name(std::string_view name);

}  // namespace berth
