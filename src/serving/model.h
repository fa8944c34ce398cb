// SPDX-License-Identifier: Apache-2.0
// A large language model without its weights: sizes, and a list of tensors under the names that GGUF gives them
// ("blk.3.attn_q.weight"), whatever file they come from. Readers (serving/files) and presets (serving/presets.h) make
// one; the workloads (serving/workload.h), the planner (serving/plan) and the writers of flags (serving/files) read it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "serving/ggml_type.h"

namespace berth::llm {

// Zero where a model has no such thing.
struct Config {
  std::string architecture;  // as GGUF names it: "llama", "qwen3moe"
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, key_width = 0, value_width = 0;  // widths of one head
  std::int64_t ffn = 0, vocab = 0, context = 0;  // context: what it was trained for
  std::int64_t experts = 0, experts_used = 0, expert_ffn = 0;
  std::int64_t shared_ffn = 0;                               // width of all experts together that every token visits
  std::int64_t dense_layers = 0;                             // first layers without experts
  std::int64_t query_rank = 0, kv_rank = 0, rope_width = 0;  // latent attention (DeepSeek)
  std::int64_t window = 0, window_pattern = 0;               // every window_pattern-th layer looks beyond the window
  bool tied = false;                                         // the output head is the word table
  std::vector<std::int64_t> kv_heads_of = {};                // per layer, where layers differ

  [[nodiscard]] bool is_latent() const { return kv_rank > 0; }
  [[nodiscard]] std::int64_t kv_heads_at(std::int64_t layer) const;
  // Whether a layer's attention is limited to the window.
  [[nodiscard]] bool is_windowed(std::int64_t layer) const;
  [[nodiscard]] bool has_windows() const { return window > 0 && window_pattern > 0; }
};

// All sizes are within bounds that keep every sum of bytes below 62 bits. Everything behind the readers relies on it.
Status check(const Config& config);

// Whether the configuration says nothing of heads, so that the cache counts as nothing.
bool cache_width_is_unknown(const Config& config);

// What can be placed apart. A runtime keeps the rest of a layer (attention, cache, norms, router, shared experts) at
// the layer's home; its feed-forward tensors can be elsewhere.
enum class Part : std::uint8_t { kInput, kRest, kGate, kUp, kDown, kOutput };
inline constexpr int kMovableParts = 3;  // kGate, kUp, kDown
constexpr bool is_movable(Part part) { return part >= Part::kGate && part <= Part::kDown; }
constexpr int movable_index(Part part) { return static_cast<int>(part) - static_cast<int>(Part::kGate); }

struct Tensor {
  std::string name;
  std::int64_t layer = -1;  // -1: none, see part
  Part part = Part::kInput;
  bool experts = false;  // all experts of a layer in one tensor
  std::int64_t elements = 0;
  Bytes bytes = 0;
};

// Layer and part of a tensor, by its GGUF name.
Tensor classify(std::string name, std::int64_t elements, Bytes bytes);

// Names of modules in the framework the model comes from, for device maps.
struct ModuleNames {
  std::string embedding = "model.embed_tokens", layer = "model.layers", norm = "model.norm", head = "lm_head";
  std::vector<std::string> others = {};  // modules outside of layers that hold tensors or buffers
};

struct Model {
  std::string title;
  Config config;
  std::vector<Tensor> tensors;
  ModuleNames modules = {};
  std::vector<std::string> notes = {};  // what had to be guessed, one line each

  [[nodiscard]] Bytes weight_bytes() const;
  [[nodiscard]] std::int64_t parameters() const;
};

}  // namespace berth::llm
