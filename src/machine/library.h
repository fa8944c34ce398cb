// SPDX-License-Identifier: Apache-2.0
// The built-in machines. docs/machines.md says where their figures come from and what is simplified.
#pragma once

#include <span>
#include <string_view>

#include "machine/machine.h"

namespace berth {

struct MachineInfo {
  std::string_view name;     // "k40x4"
  std::string_view summary;  // one line
  Machine (*make)();
};

std::span<const MachineInfo> builtin_machines();  // the only list

// "procxN", for N from 1 to 64: as many equal processors, for scheduling problems that state the times of their ops.
// Links cost nothing and memory has no limit. Not in the list above, since there are so many.
inline constexpr std::string_view kProcessorFamily = "procxN";
inline constexpr std::string_view kProcessorSummary =
    "N equal processors, N from 1 to 64, with links that cost nothing";

// What OpenVINO's HETERO pays for every subgraph beside its ops. Not published: assumed.
inline constexpr double kHeteroRegionSeconds = 20e-6;

// The machine of that name, or an error that names the nearest one.
Result<Machine> builtin_machine(std::string_view name);

}  // namespace berth
