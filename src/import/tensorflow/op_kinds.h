// SPDX-License-Identifier: Apache-2.0
// What TensorFlow's ops are to a training or inference step.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::tensorflow {

enum class OpKind : std::uint8_t {
  kCompute,
  kConstant,
  kVariable,     // reference variables and handles of resource variables alike
  kInput,        // placeholders, and what takes elements out of iterators, queues and readers
  kPipeline,     // what stands behind those
  kCheckpoint,   // saves and restores variables
  kInitializer,  // fills tables, asks whether variables are initialised
  kNoOp,
};

OpKind kind_of(std::string_view op);

// There from the start: none of its inputs is part of a step.
constexpr bool is_leaf(OpKind kind) {
  return kind == OpKind::kConstant || kind == OpKind::kVariable || kind == OpKind::kInput;
}

bool is_assignment(std::string_view op);  // of a whole variable by a value: what initialisers do
bool is_update(std::string_view op);      // writes a variable, a table or a file: what it gives back is no result
bool has_outputs(std::string_view op);    // false for ops that are known to have none

// Position of a named output among all outputs of an op, as functions name them ("node:indices:0"); -1 for ops whose
// outputs we do not know. Ops with a single output, or a single list of them, are not listed: they need no names.
int output_position(std::string_view op, std::string_view output);

}  // namespace berth::tensorflow
