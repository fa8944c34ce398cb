// SPDX-License-Identifier: Apache-2.0
// The built-in machines. docs/machines.md says where their figures come from and what is simplified.
#pragma once

#include <array>
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

// "CARDxN": one to eight cards of a kind in a desktop, "rtx3090" or "rtx3090x2", for every name of card_names().
inline constexpr std::string_view kCardFamily = "CARDxN";
inline constexpr std::string_view kCardSummary =
    "a desktop with 1 to 8 cards: rtx3060, rtx3090, rtx4080, rtx4090, rtx5070ti, rtx5090, rtx-pro-6000, rx7900xtx, "
    "arc-b580";
std::span<const std::string_view> card_names();

struct MachineFamily {
  std::string_view name, summary;
};
inline constexpr std::array kMachineFamilies{MachineFamily{kCardFamily, kCardSummary},
                                             MachineFamily{kProcessorFamily, kProcessorSummary}};

// What OpenVINO's HETERO pays for every subgraph beside its ops. Not published: assumed.
inline constexpr double kHeteroRegionSeconds = 20e-6;

// The machine of that name, or an error that names the nearest one.
Result<Machine> builtin_machine(std::string_view name);

}  // namespace berth
