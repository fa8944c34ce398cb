// SPDX-License-Identifier: Apache-2.0
// Graph parsing (Song et al., ICLR 2024, as HSDAG uses it): every node keeps the best of its edges, and what those join
// becomes a cluster. There is no number of clusters to choose; every node that has an edge joins at least one other, so
// that a round leaves at most half of them. With loops a node may also prefer itself, and so stay alone or be the root
// that others join.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace berth::learn {

// Undirected: each pair once, in any order, no loops.
using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct Parsing {
  std::vector<std::uint32_t> cluster;  // of every node; numbered from 0 in the order of their lowest nodes
  std::size_t clusters = 0;
  bool operator==(const Parsing&) const = default;
};

// One score per edge, and one per node for its loop unless there are none; of equal ones the loop is the best, then the
// first edge. By union-find over the dominant edges.
Parsing parse(std::size_t nodes, std::span<const Pair> edges, std::span<const float> scores,
              std::span<const float> loops = {});

// Scores between 0 and 1 of edges and loops become logits with noise of `share` of their own deviation, so that nodes
// now and then follow another edge than their best, however sure or unsure the scores are.
void add_noise(std::span<float> scores, std::span<float> loops, double share, Rng& rng);

// Clusters that somebody else made, by any labels below the number of nodes.
Parsing numbered_clusters(std::span<const std::uint32_t> label);

// Distinct edges between clusters, each as it points.
std::vector<Pair> edges_between(const Parsing& parsing, std::span<const Pair> edges);
// Each pair once, whichever way it points.
std::vector<Pair> without_direction(std::span<const Pair> edges);

}  // namespace berth::learn
