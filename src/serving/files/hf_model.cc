// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/mapped_file.h"
#include "serving/architecture.h"

namespace berth {
namespace {

struct Renamed {
  std::string_view hf, gguf;
};

constexpr std::array kModules{
    Renamed{"self_attn.q_proj", "attn_q"},
    Renamed{"self_attn.k_proj", "attn_k"},
    Renamed{"self_attn.v_proj", "attn_v"},
    Renamed{"self_attn.o_proj", "attn_output"},
    Renamed{"self_attn.dense", "attn_output"},
    Renamed{"self_attn.qkv_proj", "attn_qkv"},
    Renamed{"self_attn.q_norm", "attn_q_norm"},
    Renamed{"self_attn.k_norm", "attn_k_norm"},
    Renamed{"self_attn.q_a_proj", "attn_q_a"},
    Renamed{"self_attn.q_a_layernorm", "attn_q_a_norm"},
    Renamed{"self_attn.q_b_proj", "attn_q_b"},
    Renamed{"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    Renamed{"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    Renamed{"self_attn.kv_b_proj", "attn_kv_b"},
    Renamed{"mlp.gate_proj", "ffn_gate"},
    Renamed{"mlp.up_proj", "ffn_up"},
    Renamed{"mlp.down_proj", "ffn_down"},
    Renamed{"mlp.gate_up_proj", "ffn_up"},
    Renamed{"mlp.fc1", "ffn_up"},
    Renamed{"mlp.fc2", "ffn_down"},
    Renamed{"mlp.gate", "ffn_gate_inp"},
    Renamed{"block_sparse_moe.gate", "ffn_gate_inp"},
    Renamed{"mlp.gate.e_score_correction_bias", "exp_probs_b"},
    Renamed{"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    Renamed{"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    Renamed{"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    Renamed{"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    Renamed{"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},
    Renamed{"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    Renamed{"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    Renamed{"mlp.experts.gate_proj", "ffn_gate_exps"},
    Renamed{"mlp.experts.up_proj", "ffn_up_exps"},
    Renamed{"mlp.experts.down_proj", "ffn_down_exps"},
    Renamed{"mlp.experts.gate_up_proj", "ffn_gate_up_exps"},
    Renamed{"block_sparse_moe.experts.w1", "ffn_gate_exps"},
    Renamed{"block_sparse_moe.experts.w2", "ffn_down_exps"},
    Renamed{"block_sparse_moe.experts.w3", "ffn_up_exps"},
    Renamed{"input_layernorm", "attn_norm"},
    Renamed{"pre_feedforward_layernorm", "ffn_norm"},
    Renamed{"post_feedforward_layernorm", "post_ffw_norm"},
    Renamed{"post_attention_layernorm", "ffn_norm"},
};

// The parts of a dotted name behind ".layers.", or nothing.
std::vector<std::string_view> layer_parts(std::string_view name) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t found = name.starts_with(kLayers) ? 0 : name.find(".layers.");
  if (found == std::string_view::npos) return {};
  return split(name.substr(found + kLayers.size() + (found == 0 ? 0 : 1)), '.');
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string outside_layers(std::string_view name) {
  const std::string_view ending = name.ends_with(".bias") ? ".bias" : ".weight";
  if (name.find("embed_tokens") != std::string_view::npos) return fmt::format("token_embd{}", ending);
  if (name.find("lm_head") != std::string_view::npos) return fmt::format("output{}", ending);
  const bool is_norm = name.ends_with("norm.weight") || name.find("final_layernorm") != std::string_view::npos;
  if (is_norm) return fmt::format("output_norm{}", ending);
  return std::string(name);
}

struct Sum {
  std::int64_t elements = 0;
  Bytes bytes = 0;
};

// Four-bit weights packed into integers hold eight elements each.
std::int64_t elements_of(const StoredTensor& tensor) {
  return tensor.name.ends_with("qweight") && tensor.elements < (std::int64_t{1} << 55) ? 8 * tensor.elements
                                                                                       : tensor.elements;
}

Result<std::vector<StoredTensor>> load_tensors(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(index, ignored)) {
    BERTH_TRY(std::string text, read_file(index.string()));
    auto named = read_safetensors_index(std::move(text));
    if (!named) return within(index.string(), named.error());
    files = std::move(named).value();
  } else if (std::filesystem::exists(folder / "model.safetensors", ignored)) {
    files = {"model.safetensors"};
  }
  std::vector<StoredTensor> tensors;
  for (const std::string& name : files) {
    const std::string path = (folder / name).string();
    BERTH_TRY(const MappedFile file, MappedFile::open(path));
    auto part = read_safetensors_header(file.bytes());
    if (!part) return within(path, part.error());
    std::ranges::move(*part, std::back_inserter(tensors));
  }
  return tensors;
}

// The module of a tensor outside of the layers: its name without the last word.
void note_modules(const StoredTensor& tensor, llm::ModuleNames& modules) {
  if (!layer_parts(tensor.name).empty()) {
    const std::size_t end = tensor.name.find("layers.");
    modules.layer = fmt::format("{}layers", tensor.name.substr(0, end));
    return;
  }
  const std::string module = tensor.name.substr(0, tensor.name.rfind('.'));
  const std::string name = outside_layers(tensor.name);
  if (name.starts_with("token_embd")) {
    modules.embedding = module;
  } else if (name.starts_with("output_norm")) {
    modules.norm = module;
  } else if (name.starts_with("output")) {
    modules.head = module;
  } else if (std::ranges::find(modules.others, module) == modules.others.end()) {
    modules.others.push_back(module);
  }
}

}  // namespace

std::string gguf_name(std::string_view name) {
  const std::vector<std::string_view> parts = layer_parts(name);
  if (parts.size() < 2 || !is_number(parts[0])) return outside_layers(name);
  std::vector<std::string> words;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (i > 1 && parts[i - 1] == "experts" && is_number(parts[i])) continue;  // the number of an expert
    words.emplace_back(parts[i]);
  }
  std::string all = join(words, ".");
  const auto whole = std::ranges::find(kModules, all, &Renamed::hf);  // tensors without a word for themselves
  if (whole != kModules.end()) return fmt::format("blk.{}.{}.weight", parts[0], whole->gguf);
  const std::size_t dot = all.rfind('.');
  const std::string module = all.substr(0, dot);
  const auto found = std::ranges::find(kModules, module, &Renamed::hf);
  if (dot == std::string::npos || found == kModules.end()) return fmt::format("blk.{}.{}", parts[0], all);
  return fmt::format("blk.{}.{}{}", parts[0], found->gguf, all.substr(dot));
}

Result<llm::Model> model_of_hf(const HfConfig& config, std::span<const StoredTensor> tensors, std::string title) {
  if (tensors.empty()) {
    llm::Model model = llm::build_model(std::move(title), config.config, config.weight_type);
    model.notes.push_back(fmt::format(
        "there are no safetensors beside config.json: tensors follow from the sizes, in {}", config.weight_type));
    return model;
  }
  llm::Model model;
  model.title = std::move(title);
  model.config = config.config;
  std::map<std::string, Sum> sums;
  std::vector<std::string> order;
  for (const StoredTensor& tensor : tensors) {
    note_modules(tensor, model.modules);
    const std::string name = gguf_name(tensor.name);
    const auto [entry, added] = sums.try_emplace(name);
    if (added) order.push_back(name);
    if (__builtin_add_overflow(entry->second.elements, elements_of(tensor), &entry->second.elements)) {
      return bad_input("tensor {}: its size overflows", in_quotes(tensor.name));
    }
    entry->second.bytes += tensor.bytes;
  }
  model.config.tied = true;
  std::int64_t beyond = 0;
  for (const std::string& name : order) {
    llm::Tensor tensor = llm::classify(name, sums[name].elements, sums[name].bytes);
    model.config.tied = model.config.tied && tensor.name != "output.weight";
    if (tensor.layer >= config.config.layers) {  // layers that guess further tokens: runtimes leave them out
      ++beyond;
      continue;
    }
    model.tensors.push_back(std::move(tensor));
  }
  if (beyond > 0) {
    model.notes.push_back(fmt::format("{} tensors beyond the {} layers are left out", beyond, config.config.layers));
  }
  if (llm::architecture_of_hf(config.model_type) == nullptr) {
    model.notes.push_back(
        fmt::format("model type {} is not known: tensors are placed by their names, and the cache is "
                    "guessed to hold keys and values of every token in every layer",
                    in_quotes(config.model_type)));
  }
  return model;
}

Result<llm::Model> load_hf_model(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path folder =
      is_folder ? std::filesystem::path(path) : std::filesystem::path(path).parent_path();
  const std::string config_path = is_folder ? (folder / "config.json").string() : path;
  BERTH_TRY(std::string text, read_file(config_path));
  auto config = read_hf_config(std::move(text));
  if (!config) return within(config_path, config.error());
  BERTH_TRY(const std::vector<StoredTensor> tensors, load_tensors(folder));
  const std::string title =
      std::filesystem::absolute(is_folder ? folder : folder / ".").lexically_normal().filename().string();
  auto model = model_of_hf(*config, tensors, title.empty() ? config->model_type : title);
  if (!model) return within(config_path, model.error());
  return std::move(model).value();
}

}  // namespace berth
