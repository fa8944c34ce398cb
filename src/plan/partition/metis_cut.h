// SPDX-License-Identifier: Apache-2.0
// Cuts by METIS (Karypis and Kumar, 1998): multilevel k-way, or recursive bisection. The only file that knows the
// library.
//
// One call at a time: METIS 5 draws its random numbers from the C library's rand(), which it seeds in every call. Same
// input, same cut, unless another thread of the process calls rand() meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/partition/cut_graph.h"

namespace berth {

// What one part may take of everything; shares add up to 1.
struct PartShares {
  std::vector<double> work, memory;  // per target, above 0
};

struct MetisOptions {
  double imbalance = 0.05;         // how much more than its share of work a part may take
  double memory_imbalance = -1.0;  // the same of memory; negative: memory does not count
  bool all_parts_at_once = false;  // k-way; else bisected again and again
  std::int32_t seed = 1;
};

// Part of every vertex. METIS knows no pins. At least two targets and one vertex.
Result<std::vector<std::int32_t>> cut_with_metis(const CutGraph& graph, const PartShares& shares,
                                                 const MetisOptions& options);

}  // namespace berth
