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
    Renamed{"self_attn.sinks", "attn_sinks"},
    Renamed{"linear_attn.out_proj", "ssm_out"},
    Renamed{"mlp.gate", "ffn_gate_inp"},
    Renamed{"mlp.router", "ffn_gate_inp"},
    Renamed{"feed_forward.gate_proj", "ffn_gate"},
    Renamed{"feed_forward.up_proj", "ffn_up"},
    Renamed{"feed_forward.down_proj", "ffn_down"},
    Renamed{"feed_forward.router", "ffn_gate_inp"},
    Renamed{"feed_forward.experts.gate_up_proj", "ffn_gate_up_exps"},
    Renamed{"feed_forward.experts.down_proj", "ffn_down_exps"},
    Renamed{"feed_forward.experts.gate_proj", "ffn_gate_exps"},
    Renamed{"feed_forward.experts.up_proj", "ffn_up_exps"},
    Renamed{"feed_forward.shared_expert.gate_proj", "ffn_gate_shexp"},
    Renamed{"feed_forward.shared_expert.up_proj", "ffn_up_shexp"},
    Renamed{"feed_forward.shared_expert.down_proj", "ffn_down_shexp"},
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
    Renamed{"block_sparse_moe.input_linear", "ffn_gate_up_exps"},
    Renamed{"block_sparse_moe.output_linear", "ffn_down_exps"},
    Renamed{"block_sparse_moe.router.layer", "ffn_gate_inp"},
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

// The tower that a tensor belongs to: its name up to the word that says so ("model.vision_tower"); empty: it is the
// language model's.
std::string tower_of(std::string_view name) {
  constexpr std::array<std::string_view, 9> kTowers{
      "vision",       "visual",      "audio",         "multi_modal_projector", "mm_projector",
      "embed_vision", "embed_audio", "image_newline", "patch_merger"};
  std::size_t begin = 0;
  for (const std::string_view word : split(name, '.')) {
    const bool is_layer = word == "layers" || word == "blocks";
    if (is_layer) return {};  // words further in name parts of a layer
    const std::size_t end = begin + word.size();
    if (std::ranges::any_of(kTowers, [&](std::string_view tower) { return word.starts_with(tower); })) {
      return std::string(name.substr(0, end));
    }
    begin = end + 1;
  }
  return {};
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// Scales, zero points and orders beside packed weights hold none of the model's parameters; packed weights hold several
// in an integer.
std::int64_t elements_of(const StoredTensor& tensor, double bits) {
  const std::string_view name = tensor.name;
  if (ends_with_any(name, {"scales", "_scale", "scale_inv", "qzeros", "g_idx", "zero_point", "weight_shape", "absmax",
                           "quant_map", "_scale_2"}) ||
      name.find("quant_state") != std::string_view::npos) {
    return 0;
  }
  const std::int64_t most = std::int64_t{1} << 55;
  if (tensor.elements > most) return tensor.elements;
  if (tensor.dtype == "I32" && ends_with_any(name, {"qweight", "weight_packed"})) {
    return static_cast<std::int64_t>(static_cast<double>(tensor.elements) * 32.0 / bits);
  }
  if (tensor.dtype == "U8" && ends_with_any(name, {"weight", "blocks", "weight_packed"})) return 2 * tensor.elements;
  return tensor.elements;
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
  std::vector<std::string_view> parts = layer_parts(name);
  // All experts packed in one tensor have no word for themselves: "gate_up_proj_blocks".
  std::string_view packed;
  for (const std::string_view ending : {"_blocks", "_scales", "_bias"}) {
    if (parts.size() < 2 || parts[parts.size() - 2] != "experts" || !parts.back().ends_with(ending)) continue;
    parts.back().remove_suffix(ending.size());
    packed = ending.substr(1);
  }
  if (parts.size() < 2 || !is_number(parts[0])) return outside_layers(name);
  std::vector<std::string> words;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (i > 1 && parts[i - 1] == "experts" && is_number(parts[i])) continue;  // the number of an expert
    words.emplace_back(parts[i]);
  }
  std::string all = join(words, ".");
  const auto whole = std::ranges::find(kModules, all, &Renamed::hf);  // tensors without a word for themselves
  if (whole != kModules.end()) {
    return fmt::format("blk.{}.{}.{}", parts[0], whole->gguf, packed.empty() ? "weight" : packed);
  }
  const std::size_t dot = all.rfind('.');
  const std::string module = all.substr(0, dot);
  const auto found = std::ranges::find(kModules, module, &Renamed::hf);
  if (dot == std::string::npos || found == kModules.end()) return fmt::format("blk.{}.{}", parts[0], all);
  return fmt::format("blk.{}.{}{}", parts[0], found->gguf, all.substr(dot));
}

namespace {

// The tensors follow from the sizes.
Result<llm::Model> model_of_config(const HfConfig& config, const std::string& weight_type, std::string title) {
  BERTH_TRY(llm::WeightFormat format, llm::WeightFormat::find(weight_type.empty() ? config.weight_type : weight_type));
  if (weight_type.empty() && config.packing) {
    format = llm::WeightFormat::packed(*config.packing, config.weight_type);
  }
  llm::Model model = llm::build_model(std::move(title), config.config, format);
  model.notes.push_back(
      fmt::format("there are no safetensors beside config.json: tensors follow from the sizes, in {}{}", format.name(),
                  config.has_towers ? ", and its towers for pictures or sound are left out" : ""));
  if (weight_type.empty()) model.notes.insert(model.notes.end(), config.notes.begin(), config.notes.end());
  return model;
}

// Tensors of the files, summed under their GGUF names: towers are one each, so are a layer's experts.
class Summing {
 public:
  Summing(const HfConfig& config, llm::Model& model)
      : bits_(config.packing ? config.packing->bits : 4.0), model_(model) {}

  Status add(const StoredTensor& tensor) {
    const std::string tower = tower_of(tensor.name);
    if (tower.empty()) note_modules(tensor, model_.modules);
    const std::string name = tower.empty() ? gguf_name(tensor.name) : tower;
    const auto [entry, added] = sums_.try_emplace(name);
    if (added) order_.push_back(name);
    if (added && !tower.empty()) model_.modules.towers.push_back(tower);
    if (__builtin_add_overflow(entry->second.elements, elements_of(tensor, bits_), &entry->second.elements)) {
      return bad_input("tensor {}: its size overflows", in_quotes(tensor.name));
    }
    entry->second.bytes += tensor.bytes;
    return {};
  }

  std::vector<llm::Tensor> tensors() const {
    std::vector<llm::Tensor> all;
    for (const std::string& name : order_) {
      const Sum& sum = sums_.at(name);
      llm::Tensor tensor = llm::classify(name, sum.elements, sum.bytes);
      const auto& towers = model_.modules.towers;
      if (std::ranges::find(towers, name) != towers.end()) tensor.part = llm::Part::kTower;
      all.push_back(std::move(tensor));
    }
    return all;
  }

 private:
  double bits_;
  llm::Model& model_;
  std::map<std::string, Sum> sums_;
  std::vector<std::string> order_;
};

}  // namespace

Result<llm::Model> model_of_hf(const HfConfig& config, std::span<const StoredTensor> tensors, std::string title,
                               const std::string& weight_type) {
  if (tensors.empty()) return model_of_config(config, weight_type, std::move(title));
  if (!weight_type.empty()) {
    return bad_input(
        "--weights: the safetensors beside it have types of their own; leave the flag out, or give a "
        "config.json alone");
  }
  llm::Model model;
  model.title = std::move(title);
  model.config = config.config;
  Summing summing(config, model);
  for (const StoredTensor& tensor : tensors) BERTH_RETURN_IF_ERROR(summing.add(tensor));
  model.config.tied = true;
  std::int64_t beyond = 0;
  for (llm::Tensor& tensor : summing.tensors()) {
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
        fmt::format("model type {} is not known: tensors are placed by their names, and the cache is guessed to hold "
                    "keys and values of every token in every layer that config.json does not state otherwise, which is "
                    "too high for layers with a window or a state",
                    in_quotes(config.model_type)));
  }
  return model;
}

Result<llm::Model> load_hf_model(const std::string& path, const std::string& weight_type) {
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
  auto model = model_of_hf(*config, tensors, title.empty() ? config->model_type : title, weight_type);
  if (!model) return within(config_path, model.error());
  return std::move(model).value();
}

}  // namespace berth
