// SPDX-License-Identifier: Apache-2.0
// Orders in which devices can stand in a pipeline.
#pragma once

#include <cstddef>
#include <vector>

#include "problem/problem.h"

namespace berth::pipeline {

// Sequences of 1, 2, ... of these devices, each at most once. Of those that look the same (devices of one class with
// equal memories and links, equal links from place to place) only the first; at most so many.
std::vector<std::vector<DeviceId>> device_orders(const Problem& problem, const std::vector<DeviceId>& devices,
                                                 std::size_t longest, std::size_t most);

}  // namespace berth::pipeline
