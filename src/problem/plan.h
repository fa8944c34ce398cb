// SPDX-License-Identifier: Apache-2.0
// Plan: what a planner decides. Plain data; verify() says whether it is legal for a problem.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"

namespace berth {

class Graph;
class Problem;

struct Plan {
  std::vector<DeviceId> device_of = {};         // indexed by OpId, one entry per op
  std::vector<double> priority = {};            // indexed by OpId, or empty: 0 for every op
  std::vector<std::vector<OpId>> fusions = {};  // disjoint groups of at least two ops; default none

  [[nodiscard]] DeviceId device(OpId op) const { return device_of[index(op)]; }
  [[nodiscard]] double priority_of(OpId op) const { return priority.empty() ? 0.0 : priority[index(op)]; }
  bool operator==(const Plan&) const = default;
};

// Nothing if the plan is legal, else why not: every op placed, kinds, pins, units together, device and crossing limits,
// finite priorities, fusion groups legal. Memory is judged by the simulator.
std::optional<Error> verify(const Problem& problem, const Plan& plan);

// How much a plan sends between devices, before fusion: (tensor, destination device) pairs, and the bytes of these
// tensors, whatever the route.
std::int64_t count_crossings(const Graph& graph, const Plan& plan);
Bytes bytes_crossed(const Graph& graph, const Plan& plan);

}  // namespace berth
