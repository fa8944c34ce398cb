// SPDX-License-Identifier: Apache-2.0
// `metis`: the graph cut by METIS into one part per accelerator, work in proportion to speed, memory in proportion to
// capacity, so that little crosses the cut. Several tolerances of balance, with and without memory, k-way and by
// recursive bisection; the best simulated cut is kept.
//
// Cost: 16 cuts at each of two grains (best_cut.h), each simulated once. Source: Karypis and Kumar, 1998 (multilevel
// cuts) and "Multilevel algorithms for multi-constraint graph partitioning" (same year).
//
// Where it loses: like every partitioner it balances sums, not time, and never sees that one half waits for the other.
// All links count the same. METIS has no pins: what may not be in its part is moved afterwards. Memory counts every
// output as if it stayed alive, so a cut may be feasible that METIS calls full, never the other way round by much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/partition/cut_graph.h"
#include "plan/planner.h"

namespace berth {

class MetisPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

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

// One cut, multilevel k-way or by recursive bisection: the part of every vertex. METIS knows no pins. At least two
// targets and one vertex.
Result<std::vector<std::int32_t>> cut_with_metis(const CutGraph& graph, const PartShares& shares,
                                                 const MetisOptions& options);

}  // namespace berth
