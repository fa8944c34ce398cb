// SPDX-License-Identifier: Apache-2.0
// Routes between all pairs of devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"

namespace berth {

// The channels from device a to device b are channels[begin[p]] .. channels[begin[p + 1] - 1], p = a * devices + b.
struct Routes {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint16_t> channels;
};

// A direct channel wins: the one with the least time for 1 MiB, then the lowest index. Otherwise the route through CPUs
// and switches with the least sum of those times (in picoseconds, rounded per channel as transfers are), then the
// fewest channels, then the lowest channel index where two routes first differ. Fails when some device cannot reach
// another. Cost: one Dijkstra search per device.
Result<Routes> find_routes(std::span<const Device> devices, std::size_t num_switches,
                           std::span<const Channel> channels);

}  // namespace berth
