// SPDX-License-Identifier: Apache-2.0
// Contiguous blocks of layers, one per device, as even as they can be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace berth {

// What one layer would cost on one device.
struct LayerLoad {
  Picoseconds time = 0;
  Bytes resident = 0;  // parameters and the like
};

// Device index of every layer: device 0 takes the first layers, device 1 the next, and so on (some may take none), so
// that the longest time of a block on its device is least; among splits whose resident bytes fit capacities, if there
// are any. loads[device][layer]; exact, by dynamic programming, in devices x layers^2.
std::vector<std::uint32_t> balanced_blocks(std::span<const std::vector<LayerLoad>> loads,
                                           std::span<const Bytes> capacities);

}  // namespace berth
