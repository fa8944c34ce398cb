// SPDX-License-Identifier: Apache-2.0
// CutGraph: a problem as partitioners see it, an undirected graph with integer weights and a list of devices to cut it
// for. A vertex is a group of units that some of these devices may run; groups that none may run are left out.
//
// Vertex weights come from times, edge weights from bytes. Libraries count in 32 bits, so weights are scaled: the
// largest sums stay far below 2^31 and nothing that counts becomes 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/coarsen/grouping.h"

namespace berth {

struct CutGraph {
  Grouping grouping;
  std::vector<DeviceId> targets;          // devices to cut for; part p is targets[p]
  std::vector<std::uint32_t> group_of;    // per vertex
  std::vector<std::int32_t> work;         // per vertex, at least 1
  std::vector<std::int32_t> memory;       // per vertex, at least 1: resident bytes and outputs
  double memory_bytes = 0.0;              // what `memory` adds up to before scaling
  std::vector<std::int32_t> pinned;       // per vertex: the only part it may be in, -1 if there are several
  std::vector<std::int32_t> begin;        // per vertex and one more: its row of the arrays below
  std::vector<std::int32_t> neighbour;    // both directions of every edge
  std::vector<std::int32_t> edge_weight;  // at least 1

  [[nodiscard]] std::size_t size() const { return group_of.size(); }
};

// How fine the vertices are. One mapping call takes time in proportion to their number, and cannot be interrupted.
struct CutGrain {
  std::size_t max_vertices = 10'000;
  double largest_share = 1.0 / 64;  // of one device's share of the work: what joined groups may weigh
};

// Sums of weights stay below these: room for what libraries multiply and add.
inline constexpr std::int64_t kMaxVertexWeights = std::int64_t{1} << 29;
inline constexpr std::int64_t kMaxEdgeWeights = std::int64_t{1} << 28;

// Units joined until the grain is met: what has a single consumer first, then along the heaviest tensors, then by
// number.
Grouping coarsen_for_cut(const Problem& problem, std::size_t targets, const CutGrain& grain);

// Error when the groups have more edges than 32 bits can number.
Result<CutGraph> make_cut_graph(const Problem& problem, Grouping grouping, std::vector<DeviceId> targets);

// Speed of every target on this problem, fastest 1: the time of all work that each of them may run, every op where it
// is fastest, over its time there.
std::vector<double> target_speeds(const Problem& problem, std::span<const DeviceId> targets);

// Scales weights so that they add up to at most `limit` and none is below 1. More than limit / 2 weights are refused by
// a check.
std::vector<std::int32_t> scale_weights(std::span<const double> weights, std::int64_t limit);

// Plan of a cut. A vertex that may not be in its part goes where it may among the targets, with the neighbours it has
// the most to do with; groups without a vertex go to the first CPU if allowed.
Plan plan_from_cut(const Problem& problem, const CutGraph& graph, std::span<const std::int32_t> part_of);

}  // namespace berth
