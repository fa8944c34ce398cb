// SPDX-License-Identifier: Apache-2.0
#include "services/problem/language_model.h"

#include <filesystem>

#include "base/text.h"
#include "files/files.h"
#include "import/file_kind.h"
#include "serving/architecture.h"
#include "serving/files/gguf_model.h"
#include "serving/files/hf_model.h"
#include "serving/presets.h"

namespace berth {
namespace {

constexpr std::string_view kGguf = ".gguf";

// A config.json or its folder; with a graph of TensorFlow beside it, that graph is meant.
bool is_hugging_face(const std::string& path) {
  if (std::filesystem::path(path).filename() == "config.json") return path_exists(path);
  return path_exists(path + "/config.json") && !path_exists(path + "/saved_model.pb");
}

Error no_such_model(const std::string& text) {
  std::vector<std::string_view> names;
  for (const llm::Preset& preset : llm::presets()) names.push_back(preset.name);
  return bad_input("no file or language model '{}'{}; give a .gguf file, a folder with config.json, or one of: {}",
                   text, did_you_mean(text, std::span<const std::string_view>(names)),
                   join(std::vector<std::string>(names.begin(), names.end()), ", "));
}

// GGUF under any name; compressed, it is to be unpacked first, since only its header is read.
bool is_gguf(const std::string& path) { return path.ends_with(kGguf) || kind_of_file(path) == FileKind::kGguf; }

}  // namespace

std::optional<LanguageModelFile> split_language_model(const std::string& text) {
  const std::size_t end = text.find(std::string(kGguf) + ",");
  if (end != std::string::npos)
    return LanguageModelFile{text.substr(0, end + kGguf.size()), text.substr(end + kGguf.size() + 1)};
  if (is_gguf(text)) return LanguageModelFile{text, {}};
  if (is_hugging_face(text)) return LanguageModelFile{text, {}};
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || !is_hugging_face(text.substr(0, comma))) return std::nullopt;
  return LanguageModelFile{text.substr(0, comma), text.substr(comma + 1)};
}

Result<llm::Model> load_language_model_file(const std::string& path, const std::string& weight_type) {
  if (path.ends_with(".safetensors")) {
    return bad_input("{}: tensors alone do not make a model; give the folder, with config.json beside them", path);
  }
  if (!is_gguf(path)) return load_hf_model(path, weight_type);
  if (!weight_type.empty()) {
    return bad_input("--weights: {} is a GGUF file, whose weights have types of their own; leave the flag out", path);
  }
  return load_gguf_model(path);
}

namespace {

Result<llm::Model> load_words(const LanguageModelRequest& request) {
  const std::string& text = request.text;
  const std::string name = text.starts_with("zoo:") ? text.substr(4) : text;
  const llm::Preset* preset = llm::find_preset(name);
  if (preset == nullptr || path_exists(text)) {
    if (!path_exists(text)) return no_such_model(text);
    return load_language_model_file(text, request.weight_type);
  }
  const std::string usual(request.is_gguf_usual ? preset->weights : "bf16");
  const std::string type = request.weight_type.empty() ? usual : request.weight_type;
  BERTH_TRY(const llm::WeightFormat format, llm::WeightFormat::find(type));
  return llm::build_model(std::string(preset->name), preset->config, format);
}

}  // namespace

Result<std::shared_ptr<const llm::Model>> load_language_model(const LanguageModelRequest& request) {
  if (!request.weight_type.empty()) BERTH_RETURN_IF_ERROR(llm::WeightFormat::find(request.weight_type));
  BERTH_TRY(llm::Model model, load_words(request));
  if (!request.projector.empty()) {
    BERTH_TRY(llm::Tensor projector, load_projector(request.projector));
    std::erase_if(model.tensors, [](const llm::Tensor& tensor) { return tensor.part == llm::Part::kTower; });
    model.tensors.push_back(std::move(projector));
  }
  return std::make_shared<const llm::Model>(std::move(model));
}

}  // namespace berth
