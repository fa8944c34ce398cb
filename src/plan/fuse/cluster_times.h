// SPDX-License-Identifier: Apache-2.0
// What clusters take on their device: each as one op, by the rule for fused groups (problem/fusion.h), or
// several as if they were joined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/fuse/clusters.h"
#include "problem/problem.h"

namespace berth {

// Whether ops are more than one kernel and its views: a group of less saves nothing and is not worth forming.
bool has_two_kernels(const Problem& problem, const Plan& plan, std::span<const OpId> ops);

class ClusterTimes {
 public:
  using Cluster = Clusters::Cluster;
  ClusterTimes(const Problem& problem, const Plan& plan, const Clusters& clusters);

  [[nodiscard]] Picoseconds time(Cluster cluster) const { return times_[cluster]; }
  // What joining the clusters, all on one device, would take off the sum of their times. Negative if it costs.
  [[nodiscard]] Picoseconds saved_by_joining(std::span<const Cluster> clusters);
  // Must be told after a join.
  void update(Cluster joined) { times_[joined] = time_of_ops(std::span(&joined, 1)); }

 private:
  [[nodiscard]] Picoseconds time_of_ops(std::span<const Cluster> clusters);
  [[nodiscard]] bool leaves(TensorId tensor) const;

  const Problem& problem_;
  const Plan& plan_;
  const Clusters& clusters_;
  std::vector<Picoseconds> times_;     // per cluster
  std::vector<std::uint32_t> inside_;  // per cluster: the question it was last part of
  std::vector<std::uint32_t> read_;    // per tensor: the same
  std::uint32_t questions_ = 0;
};

}  // namespace berth
