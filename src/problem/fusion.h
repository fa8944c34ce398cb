// SPDX-License-Identifier: Apache-2.0
// Fusion groups, in one place for all: whether they are legal, for every planner, and what they cost, which the
// simulator charges and whoever forms groups may ask beforehand.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "problem/problem.h"

namespace berth {

// Nothing if the groups are legal: at least two ops each, disjoint, compute ops or views, each on one device, and the
// graph with every group drawn together still has no cycle (so every group is convex over data and control edges, and
// no two groups wait for each other). Linear in the graph.
std::optional<Error> check_fusions(const Graph& graph, const Plan& plan);

// For every op the op that stands for it: the lowest member of its fusion group, or itself.
std::vector<OpId> fusion_leaders(const Graph& graph, const Plan& plan);

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
