// SPDX-License-Identifier: Apache-2.0
// Fused attention in all the forms that ATen has of it, each of which only one kind of device runs. What a capture
// calls by one name is done here by the form that the device has, or by products and a softmax
// (exec/program/attention.h) where it has none; the results have shape and layout of the form that was captured, so
// that every op behind it, on whatever device, finds what it expects. Dropout is refused: its random state belongs to
// one kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "exec/program/substitutes.h"

namespace berth::exec {

enum class AttentionForm : std::uint8_t { kFlashOnCpu, kFlash, kEfficient, kCudnn, kMath };

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

// Operators of attention that a capture may name, done as above.
std::span<const Substitute> attention_substitutes();

}  // namespace berth::exec
