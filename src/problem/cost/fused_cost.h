// SPDX-License-Identifier: Apache-2.0
// What a fused group costs, in one place: the simulator charges it, and whoever forms groups may ask beforehand.
#pragma once

#include <algorithm>
#include <span>

#include "problem/problem.h"

namespace berth {

// Time of a group on a device: its work is the sum of the members' compute parts, or what it moves (distinct outside
// inputs and leaving outputs, each once) over the bandwidth if that takes longer; launched once.
inline Picoseconds fused_duration(const Problem& problem, DeviceId device, Picoseconds compute, Bytes moved) {
  const Picoseconds stream = to_picoseconds(static_cast<double>(moved) / problem.streaming_bytes_per_s(device));
  const Picoseconds work = std::max(compute, stream);
  const Picoseconds launch = problem.launch(device);
  return problem.machine().device(device).async ? std::max(launch, work) : launch + work;
}

// The same for distinct ops, at least one of them.
Picoseconds fused_duration(const Problem& problem, DeviceId device, std::span<const OpId> group);

}  // namespace berth
