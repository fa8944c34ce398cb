// SPDX-License-Identifier: Apache-2.0
// Fused attention in all the forms that ATen has of it, each of which only one kind of device runs: softmax(scale *
// query key' + mask) value. What a capture calls by one name is done here by the form that the device has, or by
// products and a softmax where it has none; the results have shape and layout of the form that was captured, so that
// every op behind it, on whatever device, finds what it expects. Dropout is refused: its random state belongs to one
// kernel.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <span>

#include "exec/program/substitutes.h"

namespace berth::exec {

enum class AttentionForm : std::uint8_t { kFlashOnCpu, kFlash, kEfficient, kCudnn, kMath };

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

// What decides how attention runs.
struct AttentionCase {
  AttentionForm captured = AttentionForm::kMath;
  bool is_cuda = false;
  bool has_mask = false;
  bool wants_mask_gradient = false;
  bool is_usual = true;    // four dimensions, one size of heads, as many for key and value as for query
  bool is_aligned = true;  // a row of a head is a multiple of 16 bytes
};

// The form that a device runs for the one that was captured; none: products and a softmax.
std::optional<AttentionForm> form_to_run(const AttentionCase& facts);

// By products and a softmax, on any device.
AttentionResult attend(const Attention& attention);
AttentionGradients attend_backward(const Attention& attention, const at::Tensor& gradient, const at::Tensor& output,
                                   const at::Tensor& logsumexp, bool wants_mask_gradient);

// Operators of attention that a capture may name, done as above.
std::span<const Substitute> attention_substitutes();

}  // namespace berth::exec
