// SPDX-License-Identifier: Apache-2.0
#include "serving/files/gguf_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "files/json/json_reader.h"
#include "files/mapped_file.h"
#include "graph/builder.h"
#include "serving/architecture.h"

namespace berth {
namespace {

constexpr std::int64_t kMostSplits = 1024;
constexpr std::string_view kProjector = "clip";  // general.architecture of mmproj files

// Metadata of one architecture: "llama.block_count" under "block_count".
class Keys {
 public:
  Keys(const GgufHeader& header, std::string architecture) : header_(header), prefix_(std::move(architecture)) {}

  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t otherwise = 0) const {
    const std::string full = fmt::format("{}.{}", prefix_, key);
    if (const auto number = header_.number(full)) return *number;
    const GgufList* list = header_.list(full);  // some models say it layer by layer
    if (list == nullptr || list->numbers.empty()) return otherwise;
    return *std::ranges::max_element(list->numbers);
  }
  [[nodiscard]] bool has(std::string_view key) const {
    return header_.metadata.contains(fmt::format("{}.{}", prefix_, key));
  }
  [[nodiscard]] std::vector<std::int64_t> per_layer(std::string_view key) const {
    const GgufList* list = header_.list(fmt::format("{}.{}", prefix_, key));
    return list != nullptr ? list->numbers : std::vector<std::int64_t>();
  }

 private:
  const GgufHeader& header_;
  std::string prefix_;
};

// llama.cpp's rules where the file states no pattern, of families beyond serving/architecture.h.
struct Pattern {
  std::string_view architecture;
  std::int64_t period;
};
constexpr std::array kPatterns{Pattern{"cohere2", 4},   Pattern{"exaone4", 4}, Pattern{"exaone-moe", 4},
                               Pattern{"olmo2", 4},     Pattern{"afmoe", 4},   Pattern{"gemma-embedding", 6},
                               Pattern{"qwen35moe", 4}, Pattern{"qwen35", 4}};

std::int64_t usual_period(std::string_view architecture) {
  if (const llm::Architecture* family = llm::architecture_of_gguf(architecture)) return family->period;
  const auto found = std::ranges::find(kPatterns, architecture, &Pattern::architecture);
  return found != kPatterns.end() ? found->period : 0;
}

// Layers with tensors of a state and none of keys: linear attention, state-space layers, short convolutions.
std::vector<bool> layers_with_states(const GgufHeader& header, std::int64_t layers) {
  std::vector<bool> has_state(static_cast<std::size_t>(layers), false), has_keys(has_state);
  for (const GgufTensor& tensor : header.tensors) {
    const llm::Tensor placed = llm::classify(tensor.name, 0, 0);
    if (placed.layer < 0 || placed.layer >= layers) continue;
    const auto layer = static_cast<std::size_t>(placed.layer);
    const auto has = [&](std::string_view word) { return tensor.name.find(word) != std::string::npos; };
    if (has(".ssm_") || has(".shortconv")) has_state[layer] = true;
    if (has(".attn_k.") || has(".attn_v.") || has(".attn_kv")) has_keys[layer] = true;
  }
  for (std::size_t layer = 0; layer < has_state.size(); ++layer) {
    has_state[layer] = has_state[layer] && !has_keys[layer];
  }
  return has_state;
}

void read_states(const GgufHeader& header, const Keys& keys, llm::Config& config) {
  const std::vector<bool> has_state = layers_with_states(header, config.layers);
  if (std::ranges::find(has_state, true) == has_state.end()) return;
  config.state = {.kernel = keys.number("ssm.conv_kernel"),
                  .inner = keys.number("ssm.inner_size"),
                  .state = keys.number("ssm.state_size"),
                  .groups = keys.number("ssm.group_count"),
                  .heads = keys.number("ssm.time_step_rank")};
  if (const std::int64_t kept = keys.number("shortconv.l_cache"); kept > 0) {
    config.state = {.kernel = kept, .inner = config.hidden};
  }
  config.attention.resize(static_cast<std::size_t>(config.layers), llm::Attention::kFull);
  for (std::size_t layer = 0; layer < has_state.size(); ++layer) {
    if (has_state[layer]) config.attention[layer] = llm::Attention::kState;
  }
}

// A list says it layer by layer, a number after how many layers one looks at everything.
void read_windows(const Keys& keys, llm::Config& config) {
  config.window = keys.number("attention.sliding_window");
  const llm::Architecture* family = llm::architecture_of_gguf(config.architecture);
  if (config.window == 0 && family != nullptr && !keys.has("attention.sliding_window")) config.window = family->window;
  if (config.window == 0) return;
  const std::vector<std::int64_t> listed = keys.per_layer("attention.sliding_window_pattern");
  if (listed.size() >= static_cast<std::size_t>(config.layers)) {
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const bool is_windowed = listed[static_cast<std::size_t>(layer)] != 0;
      config.attention.push_back(is_windowed ? llm::Attention::kWindow : llm::Attention::kFull);
    }
    return;
  }
  const std::int64_t period = keys.number("attention.sliding_window_pattern", usual_period(config.architecture));
  if (period > 0) config.attention = llm::all_but_every(period, llm::Attention::kWindow, config.layers);
}

void read_attention(const Keys& keys, llm::Config& config) {
  config.heads = keys.number("attention.head_count");
  config.kv_heads = keys.number("attention.head_count_kv", config.heads);
  config.kv_heads_of = keys.per_layer("attention.head_count_kv");
  if (config.kv_heads_of.size() > static_cast<std::size_t>(config.layers)) {
    config.kv_heads_of.resize(static_cast<std::size_t>(config.layers));  // the rest are layers that guess ahead
  }
  const std::int64_t width = config.heads > 0 ? config.hidden / config.heads : 0;
  config.key_width = keys.number("attention.key_length", width);
  config.value_width = keys.number("attention.value_length", width);
  config.query_rank = keys.number("attention.q_lora_rank");
  // Files made for latent attention state the widths of the latent vectors first. From older files, without the widths
  // of heads, llama.cpp keeps keys and values of every head.
  if (keys.number("attention.key_length_mla") > 0) {
    config.kv_rank = keys.number("attention.kv_lora_rank");
    config.rope_width = keys.number("rope.dimension_count");
    config.key_width = keys.number("attention.key_length_mla", config.key_width);
    config.value_width = keys.number("attention.value_length_mla", config.value_width);
  }
  config.indexer_heads = keys.number("attention.indexer.head_count");
  if (config.is_latent()) config.indexer_width = keys.number("attention.indexer.key_length");
  config.window_key_width = keys.number("attention.key_length_swa");
  config.window_value_width = keys.number("attention.value_length_swa");
  // Later layers read the cache of earlier ones; Gemma 3n has as many with one in all its sizes.
  const std::int64_t readers = keys.number("attention.shared_kv_layers");
  if (readers > 0 && readers < config.layers) config.cache_layers = config.layers - readers;
  if (config.architecture == "gemma3n") config.cache_layers = std::min<std::int64_t>(20, config.layers);
}

void read_feed_forward(const Keys& keys, llm::Config& config) {
  config.ffn = keys.number("feed_forward_length");
  config.experts = keys.number("expert_count");
  config.experts_used = keys.number("expert_used_count");
  config.expert_ffn = keys.number("expert_feed_forward_length", config.experts > 0 ? config.ffn : 0);
  config.shared_ffn = keys.number("expert_shared_feed_forward_length",
                                  std::min<std::int64_t>(keys.number("expert_shared_count"), 64) * config.expert_ffn);
  config.dense_layers = keys.number("leading_dense_block_count");
  config.expert_step = keys.number("interleave_moe_layer_step");
}

std::int64_t vocabulary(const GgufHeader& header, const Keys& keys, std::int64_t hidden) {
  if (const std::int64_t stated = keys.number("vocab_size"); stated > 0) return stated;
  if (const GgufList* tokens = header.list("tokenizer.ggml.tokens")) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(tokens->length, 1ULL << 40));
  }
  for (const GgufTensor& tensor : header.tensors) {
    if (tensor.name == "token_embd.weight" && hidden > 0) return tensor.elements / hidden;
  }
  return 0;
}

Status check_layers(const llm::Model& model) {
  for (const llm::Tensor& tensor : model.tensors) {
    if (tensor.layer >= model.config.layers) {
      return bad_input("tensor {} is beyond the {} layers of the model", in_quotes(tensor.name), model.config.layers);
    }
  }
  return {};
}

void add_notes(llm::Model& model) {
  const llm::Config& config = model.config;
  if (llm::architecture_of_gguf(config.architecture) == nullptr) {
    model.notes.push_back(
        fmt::format("architecture {} is not known: tensors are placed by their names{}", in_quotes(config.architecture),
                    llm::cache_width_is_unknown(config)
                        ? ""
                        : ", and the cache is guessed to hold keys and values of every token in every layer for which "
                          "the header says nothing else, which is too high if layers have a window"));
  }
  if (llm::cache_width_is_unknown(config)) {
    model.notes.push_back(
        "the header says nothing of attention heads: the cache is guessed to take no memory, which is too low if "
        "there is attention");
  }
}

// What the metadata of an unknown architecture leaves open, by its tensors.
void guess_sizes(const GgufHeader& header, llm::Model& model) {
  llm::Config& config = model.config;
  const bool counts = config.layers == 0, measures = config.hidden == 0;
  for (const GgufTensor& tensor : header.tensors) {
    const std::int64_t layer = llm::classify(tensor.name, 0, 0).layer;
    if (counts) config.layers = std::max(config.layers, std::min(layer, std::int64_t{1} << 40) + 1);
    if (measures && tensor.name == "output_norm.weight") config.hidden = tensor.elements;
  }
  if (counts) model.notes.push_back(fmt::format("{} layers are guessed from the names of tensors", config.layers));
  if (measures) model.notes.push_back(fmt::format("a width of {} is guessed from output_norm.weight", config.hidden));
}

Result<GgufHeader> read_one(const std::string& path) {
  BERTH_TRY(const MappedFile file, MappedFile::open(path));
  auto header = read_gguf_header(file.bytes());
  if (!header) return within(path, header.error());
  return std::move(header).value();
}

// "a-00002-of-00003.gguf" to "a-0000N-of-00003.gguf"; empty if the name is not of that form.
std::string sibling(const std::string& path, std::int64_t number, std::int64_t count) {
  const std::string ending = fmt::format("-of-{:05}.gguf", count);
  const std::size_t digits = 5;
  if (!path.ends_with(ending) || path.size() < ending.size() + digits) return {};
  return fmt::format("{}{:05}{}", path.substr(0, path.size() - ending.size() - digits), number + 1, ending);
}

// Adds the tensors of all other files of a split model.
Status add_splits(const std::string& path, GgufHeader& header) {
  const std::int64_t count = header.number("split.count").value_or(0);
  if (count <= 1) return {};
  if (count > kMostSplits) return bad_input("{}: it is one of {} files; at most {} are read", path, count, kMostSplits);
  const std::int64_t here = header.number("split.no").value_or(-1);
  std::set<std::string, std::less<>> names;
  for (const GgufTensor& tensor : header.tensors) names.insert(tensor.name);
  for (std::int64_t number = 0; number < count; ++number) {
    if (number == here) continue;
    const std::string other = sibling(path, number, count);
    if (other.empty()) {
      return bad_input("{}: it is file {} of {}, so its name must end in -{:05}-of-{:05}.gguf", path, here + 1, count,
                       here + 1, count);
    }
    BERTH_TRY(GgufHeader part, read_one(other));
    if (part.number("split.no") != number || part.number("split.count") != count) {
      return bad_input("{}: it says it is file {} of {}, by its name it is file {} of {}", other,
                       part.number("split.no").value_or(-1) + 1, part.number("split.count").value_or(0), number + 1,
                       count);
    }
    for (GgufTensor& tensor : part.tensors) {
      if (!names.insert(tensor.name).second) {
        return bad_input("{}: tensor {} is in another file of the model too", other, in_quotes(tensor.name));
      }
      header.tensors.push_back(std::move(tensor));
    }
    if (number == 0) header.metadata = std::move(part.metadata);  // the first file has the model's own
  }
  const std::int64_t wanted = header.number("split.tensors.count").value_or(-1);
  if (wanted >= 0 && wanted != static_cast<std::int64_t>(header.tensors.size())) {
    return bad_input("{}: its {} files have {} tensors, the header says {}", path, count, header.tensors.size(),
                     wanted);
  }
  return {};
}

}  // namespace

Result<llm::Model> model_of_gguf(const GgufHeader& header, std::string_view title) {
  const std::string* architecture = header.text("general.architecture");
  if (architecture == nullptr) return bad_input("the metadata lacks general.architecture");
  if (*architecture == kProjector) {
    return bad_input(
        "it is a projector of pictures or sound (mmproj), no language model; give the model, and this as "
        "--mmproj");
  }
  const Keys keys(header, *architecture);
  llm::Model model;
  const std::string* name = header.text("general.name");
  model.title = name != nullptr && !name->empty() ? *name : std::string(title);
  llm::Config& config = model.config;
  config.architecture = *architecture;
  config.layers = keys.number("block_count");
  config.hidden = keys.number("embedding_length");
  config.context = keys.number("context_length");
  if (llm::architecture_of_gguf(*architecture) == nullptr) guess_sizes(header, model);
  config.vocab = vocabulary(header, keys, config.hidden);
  BERTH_RETURN_IF_ERROR(llm::check(config));  // before anything is multiplied
  const std::int64_t guessing = std::clamp<std::int64_t>(keys.number("nextn_predict_layers"), 0, config.layers - 1);
  config.layers -= guessing;
  read_attention(keys, config);
  read_feed_forward(keys, config);
  read_windows(keys, config);
  read_states(header, keys, config);
  BERTH_RETURN_IF_ERROR(llm::check(config));
  bool has_output = false;
  Bytes total = 0;
  for (const GgufTensor& tensor : header.tensors) {
    has_output = has_output || tensor.name == "output.weight";
    total += tensor.bytes;
    if (total > kMaxTotalBytes) return bad_input("the sizes of its tensors overflow");
    llm::Tensor placed = llm::classify(tensor.name, tensor.elements, tensor.bytes);
    const bool guesses = placed.layer >= config.layers && placed.layer < config.layers + guessing;
    if (!guesses) model.tensors.push_back(std::move(placed));
  }
  if (guessing > 0) {
    model.notes.push_back(fmt::format("{} layers that guess tokens ahead are left out, as llama.cpp does", guessing));
  }
  if (model.tensors.empty()) return bad_input("it has no tensors; is it a file of words alone?");
  config.tied = !has_output;
  BERTH_RETURN_IF_ERROR(check_layers(model));
  add_notes(model);
  return model;
}

Result<llm::Model> load_gguf_model(const std::string& path) {
  BERTH_TRY(GgufHeader header, read_one(path));
  BERTH_RETURN_IF_ERROR(add_splits(path, header));
  auto model = model_of_gguf(header, std::filesystem::path(path).stem().string());
  if (!model) return within(path, model.error());
  return std::move(model).value();
}

Result<llm::Tensor> load_projector(const std::string& path) {
  BERTH_TRY(const GgufHeader header, read_one(path));
  const std::string* architecture = header.text("general.architecture");
  if (architecture == nullptr || *architecture != kProjector) {
    return bad_input("{}: it is no projector (mmproj): its architecture is {}, not {}", path,
                     in_quotes(architecture != nullptr ? *architecture : ""), in_quotes(kProjector));
  }
  llm::Tensor tower{.name = "mmproj", .part = llm::Part::kTower};
  for (const GgufTensor& tensor : header.tensors) {  // the reader keeps these sums within bounds
    tower.elements += tensor.elements;
    tower.bytes += tensor.bytes;
  }
  return tower;
}

}  // namespace berth
