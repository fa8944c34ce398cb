// SPDX-License-Identifier: Apache-2.0
// Names of the members of berth-graph/1, for its reader and its writer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace berth {

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
