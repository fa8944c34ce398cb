// SPDX-License-Identifier: Apache-2.0
#include "serving/files/gguf_model.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "files/json/json_reader.h"
#include "files/mapped_file.h"
#include "graph/builder.h"
#include "serving/architecture.h"

namespace berth {
namespace {

constexpr std::int64_t kMostSplits = 1024;

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
  [[nodiscard]] std::vector<std::int64_t> per_layer(std::string_view key) const {
    const GgufList* list = header_.list(fmt::format("{}.{}", prefix_, key));
    return list != nullptr ? list->numbers : std::vector<std::int64_t>();
  }

 private:
  const GgufHeader& header_;
  std::string prefix_;
};

std::int64_t window_pattern(std::string_view architecture) {
  if (architecture == "gemma2") return 2;
  if (architecture == "gemma3") return 6;
  return 0;
}

void read_attention(const Keys& keys, llm::Config& config) {
  config.heads = keys.number("attention.head_count");
  config.kv_heads = keys.number("attention.head_count_kv", config.heads);
  config.kv_heads_of = keys.per_layer("attention.head_count_kv");
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
  config.window = keys.number("attention.sliding_window");
  config.window_pattern = window_pattern(config.architecture);
}

void read_feed_forward(const Keys& keys, llm::Config& config) {
  config.ffn = keys.number("feed_forward_length");
  config.experts = keys.number("expert_count");
  config.experts_used = keys.number("expert_used_count");
  config.expert_ffn = keys.number("expert_feed_forward_length", config.experts > 0 ? config.ffn : 0);
  config.shared_ffn = keys.number("expert_shared_feed_forward_length",
                                  std::min<std::int64_t>(keys.number("expert_shared_count"), 64) * config.expert_ffn);
  config.dense_layers = keys.number("leading_dense_block_count");
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
                        : ", and the cache is guessed to hold keys and values of every token in every layer"));
  }
  if (llm::cache_width_is_unknown(config)) {
    model.notes.push_back("the header says nothing of attention heads: the cache is guessed to take no memory");
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
  read_attention(keys, config);
  read_feed_forward(keys, config);
  BERTH_RETURN_IF_ERROR(llm::check(config));
  bool has_output = false;
  Bytes total = 0;
  for (const GgufTensor& tensor : header.tensors) {
    has_output = has_output || tensor.name == "output.weight";
    total += tensor.bytes;
    if (total > kMaxTotalBytes) return bad_input("the sizes of its tensors overflow");
    model.tensors.push_back(llm::classify(tensor.name, tensor.elements, tensor.bytes));
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

}  // namespace berth
