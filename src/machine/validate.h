// SPDX-License-Identifier: Apache-2.0
// The checks of Machine::make on a description, before links are expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace berth {

inline constexpr std::size_t kMaxSwitches = 1024;
inline constexpr std::size_t kMaxPartName = 200;  // of devices, switches, pools and buses; they end up in errors
inline constexpr int kMaxLanes = 1'000'000;
inline constexpr double kMaxAccuracy = 1e6;         // real over predicted
inline constexpr double kMaxOverheadSeconds = 1e6;  // launches and latencies; more is beyond the simulator's clock
inline constexpr std::string_view kEveryDevice = "*";

// What is wrong with a description, and with which of its parts, so that a reader can name the line.
struct Mistake {
  enum class Part : std::uint8_t { kMachine, kPool, kDevice, kSwitch, kLink };
  Part part = Part::kMachine;
  std::size_t position = 0;  // among the pools, devices, switches or links
  Error error;
};

// The first mistake, if any: names, numbers, pools, endpoints. That every device reaches every other is checked later.
std::optional<Mistake> find_mistake(std::span<const Device> devices, std::span<const MemoryPool> pools,
                                    std::span<const std::string> switches, std::span<const Link> links);

// The cost of a region is a time, and only machines without overlap have regions.
Status check_execution(const Execution& execution);

// "link gpu0 - gpu1", "link gpu0 > gpu1": how errors call a link.
std::string describe(const Link& link);

}  // namespace berth
