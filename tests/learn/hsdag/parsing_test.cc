// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/parsing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace berth::learn {
namespace {

std::vector<Pair> random_pairs(Rng& rng, std::uint32_t nodes, double chance) {
  std::vector<Pair> pairs;
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = a + 1; b < nodes; ++b) {
      if (rng.chance(chance)) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

// A line of five: 0-1 and 3-4 score most at home; 2 prefers 3.
TEST(Parsing, EveryNodeFollowsItsBestEdge) {
  const std::vector<Pair> line{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<float> scores{0.9F, 0.2F, 0.5F, 0.8F};
  const Parsing parsing = parse(6, line, scores);
  EXPECT_EQ(parsing.cluster, (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 2})) << "the last has no edge";
  EXPECT_EQ(parsing.clusters, 3u);
  EXPECT_EQ(edges_between(parsing, line), (std::vector<Pair>{{0, 1}}));
}

// The same line, but 2 prefers itself: 1 joins it, and 0 follows 1.
TEST(Parsing, WithLoopsANodeMayStayAloneOrBeJoined) {
  const std::vector<Pair> line{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<float> scores{0.3F, 0.4F, 0.5F, 0.8F}, loops{0.1F, 0.1F, 0.6F, 0.1F, 0.1F, 0.1F};
  EXPECT_EQ(parse(6, line, scores, loops).cluster, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2}));
  const std::vector<float> alone(6, 1.0F);
  EXPECT_EQ(parse(6, line, scores, alone).clusters, 6u);
}

std::vector<float> distinct_scores(Rng& rng, std::size_t count) {
  std::vector<float> scores(count);
  std::iota(scores.begin(), scores.end(), 1.0F);
  for (std::size_t i = scores.size(); i > 1; --i) std::swap(scores[i - 1], scores[rng.below(i)]);
  return scores;
}

// parse() by the algorithm of the papers: the best dominant edge founds a cluster, which grows by all nodes whose
// dominant edge leads into it. Equal where no two scores are.
Parsing parse_by_expansion(std::size_t nodes, std::span<const Pair> edges, std::span<const float> scores,
                           std::span<const float> loops = {}) {
  constexpr std::uint32_t kNoEdge = 0xffffffffU;
  std::vector<std::uint32_t> dominant(nodes, kNoEdge);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    double best = loops.empty() ? -1.0 : static_cast<double>(loops[node]);
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
      const bool touches = edges[edge].first == node || edges[edge].second == node;
      if (!touches || static_cast<double>(scores[edge]) <= best) continue;
      best = static_cast<double>(scores[edge]);
      dominant[node] = edge;
    }
  }
  const auto target = [&](std::uint32_t node) {
    const Pair& edge = edges[dominant[node]];
    return edge.first == node ? edge.second : edge.first;
  };
  std::vector<std::uint32_t> left;  // nodes whose dominant edge is not used up, the best edge first
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (dominant[node] != kNoEdge) left.push_back(node);
  }
  std::ranges::stable_sort(left,
                           [&](std::uint32_t a, std::uint32_t b) { return scores[dominant[a]] > scores[dominant[b]]; });
  std::vector<std::uint32_t> label(nodes);
  std::iota(label.begin(), label.end(), 0U);  // what has no edge stays alone
  while (!left.empty()) {
    const std::uint32_t seed = left.front();
    std::vector<bool> inside(nodes);
    inside[seed] = inside[target(seed)] = true;
    for (bool grows = true; grows;) {
      grows = false;
      for (const std::uint32_t node : left) {
        if (inside[node] || !inside[target(node)]) continue;
        inside[node] = true;
        grows = true;
      }
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (inside[node]) label[node] = seed;
    }
    std::erase_if(left, [&](std::uint32_t node) { return inside[node]; });
  }
  return numbered_clusters(label);
}

TEST(Parsing, UnionFindEqualsTheExpansionOfThePapers) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed);
    const auto nodes = static_cast<std::uint32_t>(1 + rng.below(25));
    const std::vector<Pair> pairs = random_pairs(rng, nodes, 0.2);
    const std::vector<float> all = distinct_scores(rng, pairs.size() + nodes);
    const std::span<const float> scores = std::span(all).first(pairs.size()), loops = std::span(all).last(nodes);
    const Parsing parsing = parse(nodes, pairs, scores);
    EXPECT_EQ(parsing, parse_by_expansion(nodes, pairs, scores)) << "seed " << seed;
    EXPECT_EQ(parse(nodes, pairs, scores, loops), parse_by_expansion(nodes, pairs, scores, loops)) << "seed " << seed;
    std::vector<bool> has_edge(nodes);
    for (const auto& [a, b] : pairs) has_edge[a] = has_edge[b] = true;
    const auto joined = std::ranges::count(has_edge, true);
    EXPECT_LE(parsing.clusters, nodes - static_cast<std::size_t>(joined) + static_cast<std::size_t>(joined) / 2);
  }
}

// However sure the scores are, or sure of nothing: nodes do not always follow the same edge.
TEST(Parsing, NoiseMakesNodesFollowOtherEdges) {
  const std::vector<Pair> line{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<std::vector<float>> several{
      {0.9F, 0.2F, 0.5F, 0.8F}, {1.0F, 0.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F, 1.0F}};
  for (const std::vector<float>& scores : several) {
    Rng rng(1);
    std::set<std::vector<std::uint32_t>> found;
    for (int i = 0; i < 50; ++i) {
      std::vector<float> noisy = scores, loops(5, 0.5F);
      add_noise(noisy, loops, 1.0, rng);
      found.insert(parse(5, line, noisy, loops).cluster);
    }
    EXPECT_GT(found.size(), 3u) << scores[1];
  }
}

TEST(Parsing, WithNextToNoNoiseTheOrderOfScoresStays) {
  const std::vector<Pair> line{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<float> scores{0.9F, 0.2F, 0.5F, 0.8F}, loops{0.1F, 0.3F, 0.7F, 0.6F, 0.95F};
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    std::vector<float> noisy = scores, noisy_loops = loops;
    add_noise(noisy, noisy_loops, 0.01, rng);
    EXPECT_EQ(parse(5, line, noisy, noisy_loops), parse(5, line, scores, loops));
  }
}

}  // namespace
}  // namespace berth::learn
