// SPDX-License-Identifier: Apache-2.0
// Fusers: which ops of a placement run as one. Every fuser keeps to FusionRules and never makes a group that
// check_fusions() would refuse; a group of one kernel and its views is left out. All are deterministic.
//
// They differ in what they join, and in which order. Where a search for cycles gives up (plan/fuse/clusters.h), or a
// stop is asked for, they make fewer groups.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/fuse/clusters.h"
#include "problem/fusion_rules.h"
#include "problem/problem.h"

namespace berth {

// Whom a producer joins when its turn comes.
enum class Joining : std::uint8_t {
  kAllOrNone,  // all its consumers that might be fused with it, or none if that is not legal
  kAnyLegal,   // the same, but if they cannot all be joined, each that can, lowest op first
};

class Fuser {
 public:
  using Stop = std::function<bool()>;  // asked now and then; empty: never stops

  explicit Fuser(const Problem& problem);  // must outlive it

  // Producers by falling priority, ties by op; each joins its consumers on its device whose kinds may be fused. An op
  // with a negative priority never joins as a producer, so -1 everywhere fuses nothing. One priority per op. The groups
  // and priorities of the placement do not matter. O(edges + ops log ops) in practice; zoo:nmt-8, 87,000 ops, takes 0.3
  // s (bench/cpp/fusion_bench.cc).
  [[nodiscard]] FusionGroups by_priority(const Plan& placement, std::span<const double> priority_of_op,
                                         Joining joining = Joining::kAllOrNone, const Stop& stop = {}) const;

  // Producer and consumer by falling number of bytes that need not be moved, as long as no time is lost by it.
  [[nodiscard]] FusionGroups by_bytes(const Plan& placement, const Stop& stop = {}) const;

  // As XLA's priority fusion: producer and consumer by falling time that is saved, unfused less fused, priced anew
  // after every fusion until nothing is saved any more. Where XLA computes a producer again in each of its consumers,
  // groups here hand out several outputs, so pairs are joined one at a time.
  [[nodiscard]] FusionGroups by_time(const Plan& placement, const Stop& stop = {}) const;

 private:
  const Problem& problem_;
  FusionRules rules_;
  std::vector<std::uint32_t> order_;
};

// The same once.
FusionGroups fuse_by_priority(const Problem& problem, const Plan& placement, std::span<const double> priority_of_op,
                              Joining joining = Joining::kAllOrNone);

}  // namespace berth
