// SPDX-License-Identifier: Apache-2.0
// Capacities: the memory of every device and pool less what is reserved.
#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "machine/machine.h"

namespace berth {

struct Capacities {
  std::vector<Bytes> device;  // of the device, or of its pool
  std::vector<Bytes> pool;
};

// `reserve` is per device, or empty; what is reserved on a device is taken off the pool it draws on. Never below 0.
Capacities capacities_of(const Machine& machine, std::span<const Bytes> reserve);

}  // namespace berth
