// SPDX-License-Identifier: Apache-2.0
// What policies see of devices, and where they begin.
#pragma once

#include <span>
#include <vector>

#include "learn/features/rows.h"
#include "problem/problem.h"

namespace berth::learn {

// Speed, memory and links of every device, each as a share of the largest.
Rows features_of_devices(const Problem& problem, std::span<const DeviceId> devices);

// Logarithm of the share of the work that each device would take by its speed, capped by what its memory holds.
std::vector<float> log_start_shares(const Problem& problem, std::span<const DeviceId> devices);

}  // namespace berth::learn
