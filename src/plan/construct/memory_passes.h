// SPDX-License-Identifier: Apache-2.0
// What list schedulers do around a pass: choose the devices that take ops, and try again with less memory while the
// simulator says that a plan does not fit.
#pragma once

#include <functional>
#include <limits>
#include <string_view>

#include "plan/planner.h"

namespace berth {

enum class CpuUse : std::uint8_t {
  kAsAnyDevice,   // CPUs take ops like all others
  kWhatElseCant,  // accelerators alone, if there are any
};

// Devices that take ops: cut to what a limit on the number of devices leaves.
DeviceSet candidate_devices(const Problem& problem, CpuUse cpus);

// One pass of a scheduler that may give out this share of every device's memory.
using MemoryPass = std::function<Plan(double)>;
inline constexpr double kEndlessMemory = std::numeric_limits<double>::infinity();

// Runs a pass; while its plan is out of memory, a few more with smaller shares. Returns the best, verified.
Result<Plan> with_memory_passes(Search& search, std::string_view planner, double first_share, const MemoryPass& pass);

}  // namespace berth
