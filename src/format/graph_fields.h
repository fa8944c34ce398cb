// SPDX-License-Identifier: Apache-2.0
// Pieces that the JSON graph formats share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/builder.h"

namespace berth {

// Index of an op. Whether there is such an op is for GraphBuilder to say.
Result<OpId> read_op_id(const JsonValue& value);
// [op index, output index]
Result<OutputRef> read_output_ref(const JsonValue& value);
// [{"dtype": "f32", "shape": [64, 32]}, ...]; `tensors` is overwritten, keeping its memory.
Status read_tensors(const JsonValue& value, std::vector<TensorSpec>& tensors);

// Names of the members of berth-graph/1, for its reader and its writer.
inline constexpr std::array<std::string_view, 8> kGraphMembers{
    "format", "title", "optimizer", "source_nodes", "source_edges", "measured_on", "outputs", "ops"};

enum class OpField : std::uint8_t {
  kName,
  kType,
  kRole,
  kInputs,
  kControl,
  kOutputs,
  kFlops,
  kBytesTouched,
  kModule,
  kLabel,
  kAttributes,
  kColocate,
  kAllowed,
  kUpdates,
  kForwardOf,
  kMeasured,
};
inline constexpr std::array<std::string_view, 16> kOpFields{
    "name",   "type",  "role",       "inputs",   "control", "outputs", "flops",      "bytes_touched",
    "module", "label", "attributes", "colocate", "allowed", "updates", "forward_of", "measured_s"};
constexpr std::string_view name_of(OpField field) { return kOpFields[static_cast<std::size_t>(field)]; }
constexpr std::uint32_t bit_of(OpField field) { return std::uint32_t{1} << static_cast<unsigned>(field); }

}  // namespace berth
