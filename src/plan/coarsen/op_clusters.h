// SPDX-License-Identifier: Apache-2.0
// Clusters of ops that one would hardly ever place apart: a short op joins the only op that it waits for, or the only
// one that waits for it. Taken as one op each they still make a graph without cycles, and it differs little from the
// whole: what a cluster makes is there a little later, what it needs is needed a little earlier.
//
// Views of all that they look at are nobody's: whoever reads one reads what is behind it.
#pragma once

#include <vector>

#include "problem/problem.h"

namespace berth {

struct OpClusters {
  // Indexed by OpId: the op whose cluster it is in, which is in it itself. Ops that are nobody's have none (kNoOp).
  std::vector<OpId> of;
  // Indexed by TensorId: what readers read instead of it; itself but for outputs of ops that are nobody's.
  std::vector<TensorId> source;

  [[nodiscard]] OpId cluster(OpId op) const { return of[index(op)]; }
  // Whether the op only shows, at once, what its own cluster makes or what is there from the start.
  [[nodiscard]] bool is_elided(OpId op) const { return of[index(op)] == kNoOp; }
};

// Ops up to this long are short.
OpClusters cluster_short_ops(const Problem& problem, Picoseconds short_op);

}  // namespace berth
