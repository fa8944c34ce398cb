// SPDX-License-Identifier: Apache-2.0
#include "base/strong_components.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace berth {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(StrongComponents, NodesThatReachEachOtherAreTogether) {
  const Edges edges{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 3}, {5, 5}};
  const auto component = components_in_order(6, edges);
  EXPECT_EQ(component[0], component[1]);
  EXPECT_EQ(component[1], component[2]);
  EXPECT_EQ(component[3], component[4]);
  EXPECT_EQ(std::set(component.begin(), component.end()).size(), 3U);
}

TEST(StrongComponents, WithoutCirclesEveryNodeIsAlone) {
  const Edges edges{{3, 1}, {1, 0}, {0, 2}};
  EXPECT_EQ(components_in_order(4, edges), (std::vector<std::uint32_t>{2, 1, 3, 0}));
  EXPECT_TRUE(components_in_order(0, {}).empty());
}

TEST(StrongComponents, AgreeWithReachabilityAndKeepTheOrderOfEdges) {
  constexpr std::uint32_t kNodes = 12;
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    Edges edges;
    bool reaches[kNodes][kNodes] = {};
    for (std::uint32_t node = 0; node < kNodes; ++node) reaches[node][node] = true;
    for (int i = 0; i < 16; ++i) {
      edges.emplace_back(static_cast<std::uint32_t>(rng.below(kNodes)), static_cast<std::uint32_t>(rng.below(kNodes)));
      reaches[edges.back().first][edges.back().second] = true;
    }
    for (std::uint32_t via = 0; via < kNodes; ++via) {
      for (auto& from : reaches) {
        for (std::uint32_t to = 0; to < kNodes; ++to) from[to] = from[to] || (from[via] && reaches[via][to]);
      }
    }
    const auto component = components_in_order(kNodes, edges);
    for (std::uint32_t a = 0; a < kNodes; ++a) {
      for (std::uint32_t b = 0; b < kNodes; ++b) {
        EXPECT_EQ(component[a] == component[b], reaches[a][b] && reaches[b][a]) << a << " and " << b;
        if (reaches[a][b]) {
          EXPECT_LE(component[a], component[b]) << a << " before " << b;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth
