// SPDX-License-Identifier: Apache-2.0
#include "serving/model.h"

#include <algorithm>
#include <charconv>

namespace berth::llm {
namespace {

constexpr std::string_view kBlock = "blk.";

struct Bound {
  std::string_view what;
  std::int64_t value, low, high;
};

Part part_of_suffix(std::string_view suffix) {
  if (!suffix.starts_with("ffn_") || suffix.find("shexp") != std::string_view::npos) return Part::kRest;
  if (suffix.starts_with("ffn_gate.") || suffix.starts_with("ffn_gate_exps")) return Part::kGate;
  if (suffix.starts_with("ffn_up.") || suffix.starts_with("ffn_up_exps") || suffix.starts_with("ffn_gate_up_exps"))
    return Part::kUp;
  if (suffix.starts_with("ffn_down.") || suffix.starts_with("ffn_down_exps")) return Part::kDown;
  return Part::kRest;  // norms, the router
}

}  // namespace

std::int64_t Config::kv_heads_at(std::int64_t layer) const {
  return kv_heads_of.empty() ? kv_heads : kv_heads_of[static_cast<std::size_t>(layer)];
}

Attention Config::attention_at(std::int64_t layer) const {
  return attention.empty() ? Attention::kFull : attention[static_cast<std::size_t>(layer)];
}

bool Config::is_windowed(std::int64_t layer) const { return window > 0 && attention_at(layer) == Attention::kWindow; }

bool Config::has_windows() const {
  return window > 0 && std::ranges::find(attention, Attention::kWindow) != attention.end();
}

bool Config::has_experts(std::int64_t layer) const {
  return experts > 0 && layer >= dense_layers && (expert_step <= 1 || (layer + 1) % expert_step == 0);
}

std::vector<Attention> all_but_every(std::int64_t period, Attention less, std::int64_t layers) {
  std::vector<Attention> kinds(static_cast<std::size_t>(layers), less);
  for (std::int64_t layer = period - 1; layer < layers; layer += period) {
    kinds[static_cast<std::size_t>(layer)] = Attention::kFull;
  }
  return kinds;
}

Status check(const Config& config) {
  const std::int64_t wide = 1 << 20;
  for (const Bound& bound : {Bound{"layers", config.layers, 1, 4096},
                             Bound{"embedding length", config.hidden, 1, wide},
                             Bound{"heads", config.heads, 0, 65536},
                             Bound{"key-value heads", config.kv_heads, 0, 65536},
                             Bound{"key length", config.key_width, 0, 65536},
                             Bound{"value length", config.value_width, 0, 65536},
                             Bound{"feed-forward length", config.ffn, 0, 4 * wide},
                             Bound{"vocabulary", config.vocab, 0, 16 * wide},
                             Bound{"context length", config.context, 0, std::int64_t{1} << 32},
                             Bound{"experts", config.experts, 0, 65536},
                             Bound{"experts used", config.experts_used, 0, config.experts},
                             Bound{"expert feed-forward length", config.expert_ffn, 0, 4 * wide},
                             Bound{"shared expert length", config.shared_ffn, 0, 4 * wide},
                             Bound{"leading dense layers", config.dense_layers, 0, 4096},
                             Bound{"step of layers with experts", config.expert_step, 0, 4096},
                             Bound{"layers with a cache", config.cache_layers, 0, 4096},
                             Bound{"indexer heads", config.indexer_heads, 0, 65536},
                             Bound{"indexer width", config.indexer_width, 0, 65536},
                             Bound{"key length of windows", config.window_key_width, 0, 65536},
                             Bound{"value length of windows", config.window_value_width, 0, 65536},
                             Bound{"convolution kernel", config.state.kernel, 0, 64},
                             Bound{"inner size", config.state.inner, 0, wide},
                             Bound{"state size", config.state.state, 0, 4096},
                             Bound{"state groups", config.state.groups, 0, 256},
                             Bound{"state heads", config.state.heads, 0, 65536},
                             Bound{"embedding per layer", config.layer_embedding, 0, 65536},
                             Bound{"query rank", config.query_rank, 0, wide},
                             Bound{"key-value rank", config.kv_rank, 0, wide},
                             Bound{"rope width", config.rope_width, 0, 65536},
                             Bound{"sliding window", config.window, 0, std::int64_t{1} << 32}}) {
    if (bound.value < bound.low || bound.value > bound.high) {
      return bad_input("{} {} is out of bounds; it must be from {} to {}", bound.what, bound.value, bound.low,
                       bound.high);
    }
  }
  if (!config.attention.empty() && config.attention.size() != static_cast<std::size_t>(config.layers)) {
    return bad_input("kinds of attention are listed for {} layers, the model has {}", config.attention.size(),
                     config.layers);
  }
  if (!config.kv_heads_of.empty() && config.kv_heads_of.size() != static_cast<std::size_t>(config.layers)) {
    return bad_input("key-value heads are listed for {} layers, the model has {}", config.kv_heads_of.size(),
                     config.layers);
  }
  for (const std::int64_t heads : config.kv_heads_of) {
    if (heads < 0 || heads > 65536) return bad_input("a layer has {} key-value heads", heads);
  }
  return {};
}

bool cache_width_is_unknown(const Config& config) {
  const bool keeps_states = config.state.elements() > 0 && !config.attention.empty();
  return !config.is_latent() && config.kv_heads == 0 && !keeps_states;
}

Tensor classify(std::string name, std::int64_t elements, Bytes bytes) {
  Tensor tensor{std::move(name), -1, Part::kInput, false, elements, bytes};
  const std::string_view text = tensor.name;
  if (text.starts_with(kBlock)) {
    const char* const begin = text.data() + kBlock.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), tensor.layer);
    const bool numbered = error == std::errc() && end != text.data() + text.size() && *end == '.' && tensor.layer >= 0;
    if (!numbered) {
      tensor.layer = -1;
      return tensor;
    }
    const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()) + 1);
    tensor.part = part_of_suffix(suffix);
    tensor.experts = suffix.find("_exps") != std::string_view::npos;
    return tensor;
  }
  if (text.starts_with("output")) tensor.part = Part::kOutput;
  return tensor;
}

Bytes Model::weight_bytes() const {
  Bytes sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

std::int64_t Model::parameters() const {
  std::int64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.elements;
  return sum;
}

Bytes Model::tower_bytes() const {
  Bytes sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.part == Part::kTower ? tensor.bytes : 0;
  return sum;
}

}  // namespace berth::llm
