// SPDX-License-Identifier: Apache-2.0
// Families of language models: which tensors a layer has. With a configuration alone (a preset, a config.json) the
// tensor list follows from here; a GGUF file brings its own list, and only its sizes matter.
#pragma once

#include <span>
#include <string_view>

#include "serving/model.h"

namespace berth::llm {

struct Architecture {
  std::string_view gguf;       // general.architecture of GGUF
  std::string_view hf;         // model_type of config.json
  bool query_bias = false;     // q, k, v have biases
  bool head_norms = false;     // q and k are normalised head by head
  bool post_norms = false;     // norms behind attention and feed-forward too
  bool joint_qkv = false;      // one tensor for q, k, v
  bool joint_gate_up = false;  // one tensor for gate and up
  bool plain_ffn = false;      // up and down with biases, no gate; layer norms with biases
  bool tied = false;           // unless the file says otherwise
  bool shared_gate = false;    // the shared expert has a gate of its own
};

std::span<const Architecture> architectures();                    // the only list
const Architecture* architecture_of_gguf(std::string_view name);  // nullptr: not known
const Architecture* architecture_of_hf(std::string_view model_type);

// How the weights of a built model are stored: one type for all matrices ("q8_0", "bf16"), or llama.cpp's mixture
// "q4_k_m" (q6_k for the output and for some of the v and down tensors). Norms and biases are f32, as in GGUF.
Status check_weight_type(std::string_view type);

// All tensors of a model with this configuration, which must pass check(). An unknown architecture is built like
// "llama", which a note says.
Model build_model(std::string title, const Config& config, std::string_view weight_type);

}  // namespace berth::llm
