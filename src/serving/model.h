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

// What a layer's attention looks back at, and so what it keeps.
enum class Attention : std::uint8_t {
  kFull,    // keys and values of every token
  kWindow,  // of the last tokens alone: a sliding window, or chunks
  kState,   // a state of fixed size instead: linear attention, state-space layers, short convolutions
};

// Layers with a state, in the terms of GGUF's "ssm" keys. Per sequence they keep, in single precision, the last inputs
// of a convolution and a matrix.
struct StateSizes {
  std::int64_t kernel = 0;  // of the convolution
  std::int64_t inner = 0, state = 0, groups = 0, heads = 0;

  [[nodiscard]] std::int64_t channels() const { return inner + 2 * groups * state; }  // that the convolution sees
  [[nodiscard]] std::int64_t elements() const { return (kernel > 0 ? kernel - 1 : 0) * channels() + state * inner; }
};

// Zero where a model has no such thing.
struct Config {
  std::string architecture;  // as GGUF names it: "llama", "qwen3moe"
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, key_width = 0, value_width = 0;  // widths of one head
  std::int64_t ffn = 0, vocab = 0, context = 0;  // context: what it was trained for
  std::int64_t experts = 0, experts_used = 0, expert_ffn = 0;
  std::int64_t shared_ffn = 0;                               // width of all experts together that every token visits
  std::int64_t dense_layers = 0;                             // first layers without experts
  std::int64_t expert_step = 0;                              // of the others only every so many-th has experts; 0: all
  std::int64_t query_rank = 0, kv_rank = 0, rope_width = 0;  // latent attention (DeepSeek)
  std::int64_t indexer_heads = 0, indexer_width = 0;         // sparse attention (DeepSeek-V3.2): one more key per token
  std::int64_t window = 0;                                   // tokens that layers with a window look back at
  std::int64_t window_key_width = 0, window_value_width = 0;  // widths of one head there; 0: as elsewhere
  StateSizes state = {};                                      // of layers with a state
  std::int64_t cache_layers = 0;          // the first so many keep keys and values, later ones read theirs; 0: all do
  std::int64_t layer_embedding = 0;       // width of what the words add to every layer (Gemma 3n)
  bool tied = false;                      // the output head is the word table
  std::vector<Attention> attention = {};  // per layer; empty: all full
  std::vector<std::int64_t> kv_heads_of = {};  // per layer, where layers differ

  [[nodiscard]] bool is_latent() const { return kv_rank > 0; }
  [[nodiscard]] std::int64_t kv_heads_at(std::int64_t layer) const;
  [[nodiscard]] Attention attention_at(std::int64_t layer) const;
  // Whether a layer's attention is limited to the window.
  [[nodiscard]] bool is_windowed(std::int64_t layer) const;
  [[nodiscard]] bool has_windows() const;
  [[nodiscard]] bool has_state(std::int64_t layer) const { return attention_at(layer) == Attention::kState; }
  [[nodiscard]] bool has_experts(std::int64_t layer) const;
};

// Every `period`-th layer looks at everything, the others at less: {kWindow, kWindow, kFull, kWindow, ...} for 3.
std::vector<Attention> all_but_every(std::int64_t period, Attention less, std::int64_t layers);

// All sizes are within bounds that keep every sum of bytes below 62 bits. Everything behind the readers relies on it.
Status check(const Config& config);

// Whether the configuration says nothing of heads, so that the cache counts as nothing.
bool cache_width_is_unknown(const Config& config);

// What can be placed apart. Towers are what makes tokens of pictures and sounds, with their projectors. A runtime keeps
// the rest of a layer (attention, cache, norms, router, shared experts) at the layer's home; its feed-forward tensors
// can be elsewhere.
enum class Part : std::uint8_t { kInput, kRest, kGate, kUp, kDown, kOutput, kTower };
inline constexpr std::size_t kParts = static_cast<std::size_t>(Part::kTower) + 1;
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
  std::vector<std::string> towers = {};  // "vision_tower", "multi_modal_projector"
};

struct Model {
  std::string title;
  Config config;
  std::vector<Tensor> tensors;
  ModuleNames modules = {};
  std::vector<std::string> notes = {};  // what had to be guessed, one line each

  [[nodiscard]] Bytes weight_bytes() const;
  [[nodiscard]] std::int64_t parameters() const;
  [[nodiscard]] Bytes tower_bytes() const;  // of these, in towers
};

}  // namespace berth::llm
