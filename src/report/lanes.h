// SPDX-License-Identifier: Apache-2.0
// Lanes: the horizontal bands that a drawn graph has, one per part of the model that a person would name
// ("encoder.layer.3", "softmax"). Parts come from module paths, else from the names of ops; an op without either is
// with its first input, a weight with what uses it first. The largest parts are split by the next word of their path as
// long as that gives few enough lanes, so that twelve layers get twelve lanes and sixty time steps do not. Where paths
// say nothing about most of the ops, these are cut by position (find_stretches).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace berth::report {

inline constexpr std::size_t kMostLanes = 24;

struct Lanes {
  std::vector<std::string> names;  // "" for what has no name
  std::vector<std::uint32_t> of;   // per op
};

// In no particular order.
Lanes find_lanes(const Graph& graph, std::size_t most = kMostLanes);

}  // namespace berth::report
