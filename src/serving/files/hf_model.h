// SPDX-License-Identifier: Apache-2.0
// A language model of Hugging Face: a folder with config.json and, if they are there, the headers of its safetensors
// files; or config.json alone. Tensors get their GGUF names; those of single experts become one per layer. All errors
// begin with the file's name.
#pragma once

#include <span>
#include <string>

#include "serving/files/hf_config.h"
#include "serving/files/safetensors.h"
#include "serving/model.h"

namespace berth {

Result<llm::Model> load_hf_model(const std::string& path);  // the folder, or its config.json

Result<llm::Model> model_of_hf(const HfConfig& config, std::span<const StoredTensor> tensors, std::string title);

// "model.layers.3.mlp.up_proj.weight" -> "blk.3.ffn_up.weight"; what is not known keeps its words behind "blk.3.".
std::string gguf_name(std::string_view name);

}  // namespace berth
