// SPDX-License-Identifier: Apache-2.0
// The checks of Machine::make on a description, before links are expanded.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace berth {

inline constexpr std::size_t kMaxSwitches = 1024;
inline constexpr int kMaxLanes = 1'000'000;
inline constexpr double kMaxOverheadSeconds = 1e6;  // launches and latencies; more is beyond the simulator's clock
inline constexpr std::string_view kEveryDevice = "*";

// The first mistake in a description, in one line that names the device, pool, switch or link.
Status check_description(std::span<const Device> devices, std::span<const MemoryPool> pools,
                         std::span<const std::string> switches, std::span<const Link> links);

// "link gpu0 - gpu1", "link gpu0 > gpu1": how errors call a link.
std::string describe(const Link& link);

}  // namespace berth
