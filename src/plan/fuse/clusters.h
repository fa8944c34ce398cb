// SPDX-License-Identifier: Apache-2.0
// Clusters: disjoint sets of ops of a graph that grow by joining, such that the graph with every cluster drawn together
// never has a cycle. At first every op is a cluster of its own.
//
// The clusters stand in a topological order. Whether some of them can be joined is a search from them along the edges
// that never leaves their stretch of the order (Pearce and Kelly, 2006, for edges that are added): forward, or backward
// where that finds less to do. What it met moves to the other side of them. A search that meets too much gives up, and
// the clusters stay apart although they might be joined; so a join costs at most kMostMet edges each way, whatever the
// size of the graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "plan/fuse/item_order.h"

namespace berth {

using FusionGroups = std::vector<std::vector<OpId>>;

// An order in which an op stands as close before its consumers as may be, so that searches are short. O(edges).
std::vector<std::uint32_t> close_order(const Graph& graph);

class Clusters {
 public:
  using Cluster = std::uint32_t;  // number of its lowest op
  static constexpr std::size_t kMostMet = 1000;

  Clusters(const Graph& graph, std::span<const std::uint32_t> order);

  [[nodiscard]] Cluster of(OpId op) const { return cluster_of_[index(op)]; }
  [[nodiscard]] std::span<const OpId> ops(Cluster cluster) const;

  // Joins distinct clusters into that of their lowest op, unless a cycle might come of it; says whether it did.
  bool join(std::span<const Cluster> clusters);

  [[nodiscard]] FusionGroups groups() const;  // clusters of two ops and more, sorted

 private:
  enum class Way : std::uint8_t { kForward, kBackward };
  enum class Verdict : std::uint8_t { kFree, kCycle, kTooFar };

  template <typename Visit>
  bool for_each_neighbour(Cluster cluster, Way way, const Visit& visit) const;
  Verdict search(std::span<const Cluster> clusters, Way way, std::uint64_t limit);
  void unite(std::span<const Cluster> clusters, Cluster place);

  const Graph& graph_;
  ItemOrder order_;
  std::vector<OpId> singles_;               // all ops: the members of clusters that have not grown
  std::vector<Cluster> cluster_of_;         // indexed by OpId
  std::vector<std::vector<OpId>> members_;  // indexed by cluster; empty: one op
  std::vector<std::uint32_t> seen_;         // per cluster: the search that met it last
  std::uint32_t searches_ = 0;
  std::vector<Cluster> met_;  // by the last search, without those it began with
};

}  // namespace berth
