// SPDX-License-Identifier: Apache-2.0
// The attention half of a Llama layer and the frame around the layers, shared by llama-8b and the mixtures of experts.
#pragma once

#include <vector>

#include "zoo/model_builder.h"
#include "zoo/models/model.h"

namespace berth::zoo {

struct LlamaSizes {
  std::int64_t batch, seq, hidden, layers, heads, kv_heads, ffn, vocab;
};

// Reads and checks the sizes.
Result<LlamaSizes> llama_sizes(const Settings& settings);
// Rows of the parameter table for them.
std::vector<ParameterInfo> llama_parameters(const LlamaSizes& defaults);

// Tables that all layers read.
struct LlamaTables {
  Tensor cosines, sines, mask;
};

// Norm, attention with rotary positions and shared key-value heads, residual.
Tensor llama_attention(ModelBuilder& builder, Tensor x, const LlamaSizes& sizes, const LlamaTables& tables);
// Gated feed-forward: silu(x gate) * (x up), times down; x is [rows, hidden] or [batch, seq, hidden].
Tensor gated_mlp(ModelBuilder& builder, Tensor x, std::int64_t ffn);

// Embedding, `layers` times `layer` in scopes "layer.<k>", final norm, word head.
using LlamaLayer = Tensor (*)(ModelBuilder&, Tensor x, const LlamaSizes&, const LlamaTables&, const Settings&);
void llama_model(ModelBuilder& builder, const LlamaSizes& sizes, const Settings& settings, LlamaLayer layer);

}  // namespace berth::zoo
