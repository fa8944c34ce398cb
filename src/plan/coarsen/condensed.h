// SPDX-License-Identifier: Apache-2.0
// Condensed: a large problem as one with fewer ops, in which a plan is simulated in a fraction of the time. Each
// cluster of short ops (plan/coarsen/op_clusters.h) is one op that takes as long as they take together; tensors between
// clusters, weights, constraints and machine are those of the whole.
//
// What it differs in: a cluster waits for all it needs before its first op starts and sends nothing before its last one
// ends; what it holds inside takes no memory. So its scores are near those of the whole, not equal to them, and what is
// found in it has to be judged there again.
#pragma once

#include <optional>
#include <vector>

#include "plan/coarsen/op_clusters.h"
#include "problem/problem.h"

namespace berth {

class Condensed {
 public:
  // Ops up to `short_op` long may join others. Refers to the whole and its machine, which must outlive it. Nothing for
  // the pipeline objective, where there are limits on devices or crossings, which would not carry over, and where times
  // are so long that a sum of them is beyond the clock.
  static std::optional<Condensed> make(const Problem& whole, Picoseconds short_op);

  [[nodiscard]] const Problem& problem() const { return *problem_; }

  // A plan of the whole, which fuses nothing, as near as one of the condensed problem comes to it.
  [[nodiscard]] Plan condense(const Plan& whole) const;
  // The plan of the whole that has every cluster where this one has its op; legal if this one is.
  [[nodiscard]] Plan expand(const Plan& condensed) const;

 private:
  Condensed(const Problem& whole, OpClusters clusters, std::vector<OpId> op_of, Problem problem);
  [[nodiscard]] Plan put_clusters(const Plan& condensed) const;
  [[nodiscard]] DeviceId device_of_view(OpId view, const Plan& plan) const;

  const Problem* whole_;
  OpClusters clusters_;
  std::vector<OpId> op_of_;  // of the condensed problem, indexed by ops of the whole; kNoOp for some views
  std::optional<Problem> problem_;
};

// So short that hardly anything is lost where ops of that length join others: a small part of the work of a device.
Picoseconds hardly_any_time(const Problem& problem);

}  // namespace berth
