// SPDX-License-Identifier: Apache-2.0
// Attention by products and a softmax: softmax(scale * query key' + mask) value, on any device.
#pragma once

#include <ATen/ATen.h>

namespace berth::exec {

struct Attention {
  at::Tensor query, key, value;      // [..., heads, length, size]; heads of key and value may be fewer
  at::Tensor mask = {};              // added to the scores, or false where they do not count; undefined: none
  bool is_causal = false;            // query i sees keys up to i
  c10::optional<double> scale = {};  // default: 1 / sqrt(size)
};

struct AttentionResult {
  at::Tensor output;
  at::Tensor logsumexp;  // of a query's scores, [..., heads, length]; 0 where none counts
  at::Tensor weights;    // the softmax; plain attention alone has it
};

struct AttentionGradients {
  at::Tensor query, key, value, mask;  // mask: undefined unless wanted
};

AttentionResult attend(const Attention& attention);
AttentionGradients attend_backward(const Attention& attention, const at::Tensor& gradient, const at::Tensor& output,
                                   const at::Tensor& logsumexp, bool wants_mask_gradient);

}  // namespace berth::exec
