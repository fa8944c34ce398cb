// SPDX-License-Identifier: Apache-2.0
#include "graph/hsdag.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace berth {
namespace {

using Sets = std::vector<std::uint32_t>;

// 0 -> 1 -> 2, and 1 -> 3 -> 4 <- 5.
const std::vector<DirectedEdge> kFork{{0, 1}, {1, 2}, {1, 3}, {3, 4}, {5, 4}};

TEST(ColocationSets, ThePaperJoinsOnlyChildrenToOnlyParents) {
  const ColocationSets sets = find_colocation_sets(6, kFork, ColocationRule::kMutual);
  EXPECT_EQ(sets.of_node, (Sets{0, 0, 1, 2, 3, 4}));  // 1 has two children, 4 two parents
  EXPECT_EQ(sets.count, 5u);
  EXPECT_EQ(edges_between(sets, kFork), (std::vector<DirectedEdge>{{0, 1}, {0, 2}, {2, 3}, {4, 3}}));
}

TEST(ColocationSets, TheReleasedCodeJoinsWhateverHasOneParent) {
  const ColocationSets sets = find_colocation_sets(6, kFork, ColocationRule::kSoleParent);
  EXPECT_EQ(sets.of_node, (Sets{0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(edges_between(sets, kFork), (std::vector<DirectedEdge>{{0, 1}, {2, 1}}));
}

TEST(ColocationSets, ChainsGrow) {
  const std::vector<DirectedEdge> chain{{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(find_colocation_sets(4, chain, ColocationRule::kMutual).count, 1u);
  EXPECT_EQ(find_colocation_sets(0, {}, ColocationRule::kMutual).count, 0u);
}

std::vector<DirectedEdge> random_dag(Rng& rng, std::uint32_t nodes, std::uint32_t reach) {
  std::vector<DirectedEdge> edges;
  for (std::uint32_t to = 1; to < nodes; ++to) {
    const std::uint32_t first = to > reach ? to - reach : 0;
    for (std::uint32_t from = first; from < to; ++from) {
      if (rng.chance(2.0 / reach)) edges.emplace_back(from, to);
    }
  }
  return edges;
}

TEST(ColocationSets, LeaveNoCycleUnderEitherRule) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const std::vector<DirectedEdge> edges = random_dag(rng, 30, 8);
    for (const ColocationRule rule : {ColocationRule::kMutual, ColocationRule::kSoleParent}) {
      const ColocationSets sets = find_colocation_sets(30, edges, rule);
      // Whoever waits for nothing is taken away until nothing is left.
      std::vector<DirectedEdge> left = edges_between(sets, edges);
      for (std::size_t round = 0; round < sets.count && !left.empty(); ++round) {
        std::vector<bool> waits(sets.count);
        for (const auto& [from, to] : left) waits[to] = true;
        std::erase_if(left, [&](const DirectedEdge& edge) { return !waits[edge.first]; });
      }
      EXPECT_TRUE(left.empty()) << "seed " << seed;
    }
  }
}

// A line: within r steps there are r nodes, so the slope is 1 wherever two distances occur.
TEST(FractalDimension, OfALineIsOne) {
  const std::vector<DirectedEdge> line{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<double> found = fractal_dimensions(5, line);
  EXPECT_NEAR(found[0], 1.0, 1e-12);
  EXPECT_NEAR(found[2], 1.0, 1e-12);
  EXPECT_EQ(found[3], 0.0) << "one distance alone";
  EXPECT_EQ(found[4], 0.0) << "nothing is reached";
}

// One node at distance 1, three more at distance 2: log 4 / log 2.
TEST(FractalDimension, OfAFanIsTheSlopeOfTwoPoints) {
  const std::vector<DirectedEdge> fan{{0, 1}, {1, 2}, {1, 3}, {1, 4}};
  EXPECT_NEAR(fractal_dimensions(5, fan)[0], 2.0, 1e-12);
}

TEST(FractalDimension, BoundedIsExactWhereLessIsReached) {
  Rng rng(3);
  const std::vector<DirectedEdge> edges = random_dag(rng, 200, 20);
  EXPECT_EQ(fractal_dimensions(200, edges), fractal_dimensions(200, edges, 200));
}

// A long graph of constant width, as networks are: near the node it grows as it does far away.
TEST(FractalDimension, BoundedAgreesWithExact) {
  Rng rng(4);
  constexpr std::uint32_t kNodes = 3000;
  const std::vector<DirectedEdge> edges = random_dag(rng, kNodes, 12);
  const std::vector<double> exact = fractal_dimensions(kNodes, edges), bounded = fractal_dimensions(kNodes, edges, 500);
  double difference = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    difference += std::abs(exact[i] - bounded[i]) / kNodes;
    largest = std::max(largest, exact[i]);
  }
  EXPECT_GT(largest, 0.9);
  EXPECT_LT(difference, 0.15);
}

}  // namespace
}  // namespace berth
