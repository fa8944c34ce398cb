// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/reach.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace berth::learn {
namespace {

using Kin = Reach::Kin;

std::vector<Reach::Edge> random_edges(std::size_t count, double chance, Rng& rng) {
  std::vector<Reach::Edge> edges;
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = from + 1; to < count; ++to) {
      if (rng.chance(chance)) edges.push_back({from, to});
    }
  }
  rng.shuffle(std::span(edges));  // their order must not matter
  return edges;
}

// Shortest paths between all pairs, as the published code has them.
std::vector<std::vector<bool>> all_pairs(std::size_t count, const std::vector<Reach::Edge>& edges) {
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (const Reach::Edge& edge : edges) reaches[edge.from][edge.to] = true;
  for (std::size_t via = 0; via < count; ++via)
    for (std::size_t from = 0; from < count; ++from)
      for (std::size_t to = 0; to < count; ++to)
        if (reaches[from][via] && reaches[via][to]) reaches[from][to] = true;
  return reaches;
}

TEST(Reach, IsThatOfAllPairs) {
  Rng rng(1);
  for (const std::size_t count : {1, 2, 63, 64, 65, 130}) {
    for (const double chance : {0.0, 0.02, 0.2}) {
      const std::vector<Reach::Edge> edges = random_edges(count, chance, rng);
      const Reach reach(count, edges);
      const auto truth = all_pairs(count, edges);
      for (std::size_t node = 0; node < count; ++node) {
        const std::vector<Kin> kin = reach.kin_of(node);
        for (std::size_t other = 0; other < count; ++other) {
          const Kin wanted = other == node        ? Kin::kSelf
                             : truth[other][node] ? Kin::kAncestor
                             : truth[node][other] ? Kin::kDescendant
                                                  : Kin::kPeer;
          ASSERT_EQ(kin[other], wanted) << count << ' ' << chance << ' ' << node << ' ' << other;
          ASSERT_EQ(reach.reaches(node, other), truth[node][other]);
        }
      }
    }
  }
}

TEST(Reach, ThousandsOfNodesAreNoTrouble) {
  constexpr std::uint32_t kCount = 5'000;
  std::vector<Reach::Edge> edges;  // a ladder: two chains, and a rung at every hundredth step
  for (std::uint32_t i = 0; i + 2 < kCount; ++i) edges.push_back({i, i + 2});
  for (std::uint32_t i = 0; i + 1 < kCount; i += 100) edges.push_back({i, i + 1});
  const Reach reach(kCount, edges);
  EXPECT_TRUE(reach.reaches(0, kCount - 1));
  EXPECT_TRUE(reach.reaches(0, kCount - 2));
  EXPECT_FALSE(reach.reaches(1, kCount - 2)) << "no rung leads from the odd chain to the even one";
  EXPECT_TRUE(reach.reaches(4'900, 4'901));
  EXPECT_FALSE(reach.reaches(4'902, 4'903));
}

}  // namespace
}  // namespace berth::learn
