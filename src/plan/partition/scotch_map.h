// SPDX-License-Identifier: Apache-2.0
// Static mapping by Scotch (Pellegrini and Roman, 1996): a weighted graph onto a weighted machine, by dual recursive
// bipartitioning of both. The only file that knows the library.
//
// One call at a time: Scotch 7 keeps one random generator and one error routine per process. Same input, same mapping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/partition/cut_graph.h"

namespace berth {

// What a graph is mapped onto: how much work each target takes, and how far they are from each other.
struct TargetMachine {
  std::vector<std::int32_t> capacity;  // per target, at least 1
  std::vector<std::int32_t> distance;  // [from * targets + to], at least 1 between different ones, the same both ways
};

struct ScotchOptions {
  double imbalance = 0.05;  // how much more than its share a target may take
  bool recursive = true;    // recursive bipartitioning alone; else refined over all targets at once
  std::int32_t seed = 1;
};

inline constexpr std::int32_t kMaxDistance = 128;

// Part of every vertex; pinned ones stay where they are. At least two targets and one vertex.
Result<std::vector<std::int32_t>> map_with_scotch(const CutGraph& graph, const TargetMachine& machine,
                                                  const ScotchOptions& options);

}  // namespace berth
