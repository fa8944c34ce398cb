// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/parsing.h"

#include <algorithm>
#include <cmath>

#include "base/disjoint_sets.h"

namespace berth::learn {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// The best edge of every node; kNone for those without one, or whose loop is better.
std::vector<std::uint32_t> dominant_edges(std::size_t nodes, std::span<const Pair> edges, std::span<const float> scores,
                                          std::span<const float> loops) {
  std::vector<std::uint32_t> best(nodes, kNone);
  for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
    for (const std::uint32_t node : {edges[edge].first, edges[edge].second}) {
      if (best[node] == kNone || scores[edge] > scores[best[node]]) best[node] = edge;
    }
  }
  for (std::size_t node = 0; node < loops.size(); ++node) {
    if (best[node] != kNone && loops[node] >= scores[best[node]]) best[node] = kNone;
  }
  return best;
}

void keep_distinct(std::vector<Pair>& pairs) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

Parsing numbered_clusters(std::span<const std::uint32_t> label) {
  Parsing parsing{std::vector<std::uint32_t>(label.size()), 0};
  std::vector<std::uint32_t> number(label.size(), kNone);
  for (std::size_t node = 0; node < label.size(); ++node) {
    std::uint32_t& known = number[label[node]];
    if (known == kNone) known = static_cast<std::uint32_t>(parsing.clusters++);
    parsing.cluster[node] = known;
  }
  return parsing;
}

Parsing parse(std::size_t nodes, std::span<const Pair> edges, std::span<const float> scores,
              std::span<const float> loops) {
  DisjointSets sets(nodes);
  for (const std::uint32_t edge : dominant_edges(nodes, edges, scores, loops)) {
    if (edge != kNone) sets.unite(edges[edge].first, edges[edge].second);
  }
  std::vector<std::uint32_t> label(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) label[node] = sets.root(node);
  return numbered_clusters(label);
}

void add_noise(std::span<float> scores, std::span<float> loops, double share, Rng& rng) {
  constexpr double kNearest = 1e-6;  // to 0 and 1
  double sum = 0.0, squares = 0.0;
  const auto each = [&](const auto& change) {
    std::ranges::for_each(scores, change);
    std::ranges::for_each(loops, change);
  };
  each([&](float& score) {
    const double inside = std::clamp(static_cast<double>(score), kNearest, 1.0 - kNearest);
    const double logit = std::log(inside / (1.0 - inside));
    sum += logit;
    squares += logit * logit;
    score = static_cast<float>(logit);
  });
  const double count = std::max(1.0, static_cast<double>(scores.size() + loops.size()));
  const double deviation = std::sqrt(std::max(squares / count - sum * sum / (count * count), kNearest * kNearest));
  each([&](float& score) { score += static_cast<float>(share * deviation * rng.normal()); });
}

std::vector<Pair> edges_between(const Parsing& parsing, std::span<const Pair> edges) {
  std::vector<Pair> between;
  for (const auto& [a, b] : edges) {
    if (parsing.cluster[a] != parsing.cluster[b]) between.emplace_back(parsing.cluster[a], parsing.cluster[b]);
  }
  keep_distinct(between);
  return between;
}

std::vector<Pair> without_direction(std::span<const Pair> edges) {
  std::vector<Pair> pairs;
  for (const auto& [a, b] : edges) pairs.emplace_back(std::min(a, b), std::max(a, b));
  keep_distinct(pairs);
  return pairs;
}

}  // namespace berth::learn
