// SPDX-License-Identifier: Apache-2.0
// Families of language models: which tensors a layer has, and which layers look at everything. With a configuration
// alone (a preset, a config.json) the tensor list follows from here; a GGUF file brings its own list.
#pragma once

#include <span>
#include <string_view>

#include "serving/model.h"
#include "serving/weight_format.h"

namespace berth::llm {

struct Architecture {
  std::string_view gguf;          // general.architecture of GGUF
  std::string_view hf;            // model_type of config.json
  bool query_bias = false;        // q, k, v have biases
  bool head_norms = false;        // q and k are normalised head by head
  bool post_norms = false;        // norms behind attention and feed-forward too
  bool joint_qkv = false;         // one tensor for q, k, v
  bool joint_gate_up = false;     // one tensor for gate and up
  bool plain_ffn = false;         // up and down with biases, no gate; layer norms with biases
  bool tied = false;              // unless the file says otherwise
  bool shared_gate = false;       // the shared expert has a gate of its own
  bool output_gate = false;       // queries are twice as wide: half of them gate the output of attention
  bool sinks = false;             // a sink per head; biases of attention, router and experts (gpt-oss)
  bool corrected_router = false;  // a bias per expert corrects which are chosen
  bool side_streams = false;      // several streams beside the residual, and words that every layer adds (Gemma 3n)
  std::int64_t period = 0;        // of layers that look at everything, where files leave that out; 0: all do
  Attention less = Attention::kWindow;  // what the others do
  std::int64_t window = 0;              // where files leave it out
};

std::span<const Architecture> architectures();                    // the only list
const Architecture* architecture_of_gguf(std::string_view name);  // nullptr: not known
const Architecture* architecture_of_hf(std::string_view model_type);

// All tensors of a model with this configuration, which must pass check(). An unknown architecture is built like
// "llama", which a note says. Norms, biases and routers are f32, as in GGUF.
Model build_model(std::string title, const Config& config, const WeightFormat& format);
Model build_model(std::string title, const Config& config, std::string_view weight_type);  // of a type that is known

}  // namespace berth::llm
