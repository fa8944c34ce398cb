// SPDX-License-Identifier: Apache-2.0
// Labels: a number for each op that belongs to some building block (a recurrent cell, a convolution), kNoLabel for all
// others. A heuristic labels the forward pass; what it leaves is spread here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/coarsen/grouping.h"

namespace berth::learn {

inline constexpr std::uint32_t kNoLabel = 0xffffffffU;

// Labels parameters and the like that one block alone reads, then gradients: with the forward op the graph names, else
// with the parameters they read, else with the one block whose values they read. `backward` as of backward_ops().
void spread_labels(const Graph& graph, std::span<const std::uint8_t> backward, std::vector<std::uint32_t>& label);

// Ops of one label join; the others stay as they are.
Grouping join_labelled(const Problem& problem, const Grouping& finer, std::span<const std::uint32_t> label);

}  // namespace berth::learn
