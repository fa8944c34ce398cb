// SPDX-License-Identifier: Apache-2.0
// What the transformer models share: heads, attention, norms, the word head.
#pragma once

#include <string_view>

#include "zoo/model_builder.h"

namespace berth::zoo {

// [batch, seq, heads * size] as [batch, heads, seq, size]: a view.
Tensor split_heads(ModelBuilder& builder, Tensor x, std::int64_t heads);
// The way back from [batch * heads, seq, size] to [batch, seq, heads * size]; copies.
Tensor merge_heads(ModelBuilder& builder, Tensor x, std::int64_t heads);

// Attention of q over k and v, each [batch, heads, seq, size], in its pieces: copies of the heads, q k', scale, mask
// (added if there is one), softmax, dropout, times v. Gives [batch * heads, seq, size].
Tensor attend(ModelBuilder& builder, Tensor q, Tensor k, Tensor v, Tensor mask, double dropout);

// Layer norm and RMS norm with new parameters, in a scope of that name.
Tensor layer_norm(ModelBuilder& builder, std::string_view name, Tensor x);
Tensor rms_norm(ModelBuilder& builder, std::string_view name, Tensor x);

// Logits of x [batch, seq, hidden] through weight [hidden, vocab] . Training: loss over all positions, in scope
// "loss". Inference: the logits of the last position are the output.
void predict_words(ModelBuilder& builder, Tensor x, Tensor weight);

// Error if hidden is no multiple of heads.
Status check_heads(std::int64_t hidden, std::int64_t heads);

}  // namespace berth::zoo
