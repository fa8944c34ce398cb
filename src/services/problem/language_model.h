// SPDX-License-Identifier: Apache-2.0
// Which language model a text stands for: a GGUF file, a folder or config.json of Hugging Face, or a preset by its
// name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "serving/model.h"

namespace berth {

// "model.gguf,mode=prefill,ctx=8192", "folder,ctx=8192": a model that is served, and how; none for other texts.
struct LanguageModelFile {
  std::string path, assignments;
};
std::optional<LanguageModelFile> split_language_model(const std::string& text);

// A GGUF file, a folder with config.json, or config.json.
Result<llm::Model> load_language_model_file(const std::string& path, const std::string& weight_type = {});

// How a model is to be read.
struct LanguageModelRequest {
  std::string text;              // a file or a name
  std::string weight_type = {};  // of presets and of a config.json alone; empty: what is usual
  bool is_gguf_usual = true;     // for presets: a GGUF file's mixture, or else bf16
  std::string projector = {};    // an mmproj file beside it
};
// Also presets ("llama-8b").
Result<std::shared_ptr<const llm::Model>> load_language_model(const LanguageModelRequest& request);

}  // namespace berth
