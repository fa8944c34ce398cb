// SPDX-License-Identifier: Apache-2.0
// No lower bound is above an optimum that exact has proved, nor above any plan found on problems too large for a proof.
#include <gtest/gtest.h>

#include "base/text.h"
#include "plan/exact/exact.h"
#include "plan/exact/exact_set.h"
#include "plan/planners.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// The best plan that exact finds, told of no bound; whether it is the best there is.
struct Found {
  std::optional<Picoseconds> step;
  bool is_proved = false;
};

Found solve_without_bound(const Problem& problem, std::uint64_t evaluations) {
  Search search(problem, {.evaluations = evaluations}, Picoseconds{0});
  if (!ExactPlanner().plan(search) || !search.best_score().feasible) return {};
  return {search.best_score().step_time, search.note().starts_with("proved")};
}

std::string in_words(const LowerBound& bound) {
  std::string text;
  for (std::size_t kind = 0; kind < kBoundKinds; ++kind)
    text += fmt::format("{} {}; ", name_of(static_cast<BoundKind>(kind)), bound.of_kind[kind]);
  return text;
}

TEST(Bounds, AreNotAboveOptimaOfRandomProblems) {
  int proved = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 3 + seed % 9);
    const Found found = solve_without_bound(problem, 2000);
    if (!found.step) continue;
    const LowerBound bound = lower_bound(problem);
    ASSERT_LE(bound.value(), *found.step) << "seed " << seed << ": " << in_words(bound);
    ASSERT_LE(lower_bound(problem, true).value(), *found.step) << "seed " << seed;
    proved += found.is_proved ? 1 : 0;
  }
  EXPECT_GT(proved, 1000);
}

// Layers of ops that read some of the layer before, as gates of a cell or branches of a block do: much to queue for,
// much to send.
std::string random_layers(Rng& rng) {
  std::string text = fmt::format("a0:{}:{}B", rng.between(1, 3), rng.between(1, 5));
  std::int64_t before = 1;
  int next = 1, first = 0;
  for (int layer = 0; layer < 3; ++layer) {
    const std::int64_t width = layer % 2 == 0 ? rng.between(2, 4) : 1;
    for (std::int64_t i = 0; i < width; ++i, ++next) {
      text += fmt::format("; a{}:{}:{}B", next, rng.between(1, 9), rng.between(1, 5));
      for (std::int64_t from = 0; from < before; ++from) {
        if (from == i % before || rng.chance(0.6)) text += fmt::format("; a{} -> a{}", first + from, next);
      }
    }
    first = next - static_cast<int>(width);
    before = width;
  }
  return text;
}

TEST(Bounds, AreNotAboveOptimaOfLayers) {
  int proved = 0, met = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Rng rng(seed);
    const std::string graph = random_layers(rng);
    const char* machines[] = {"2 devices, 1 s per byte", "3 devices, 1 s per byte", "3 devices, 2 s per edge",
                              "device a; device b lanes=2; link a b latency=1 rate=2 half"};
    const Problem problem = toy_problem(graph, machines[rng.below(4)]);
    const Found found = solve_without_bound(problem, 5000);
    ASSERT_TRUE(found.step);
    const LowerBound bound = lower_bound(problem);
    ASSERT_LE(bound.value(), *found.step) << "seed " << seed << ": " << graph << "\n" << in_words(bound);
    proved += found.is_proved ? 1 : 0;
    met += found.is_proved && bound.value() == *found.step ? 1 : 0;
  }
  EXPECT_GT(proved, 400);
  EXPECT_GT(met, 50);
  RecordProperty("met", met);
}

TEST(Bounds, AreNotAboveTheOptimaOfTheExactSet) {
  for (const auto& [name, optimum] : exact_set::optima()) {
    const LowerBound bound = lower_bound(exact_set::load(name));
    EXPECT_LE(bound.value(), optimum) << name << ": " << in_words(bound);
    EXPECT_GT(bound.value(), optimum / 3) << name;
  }
}

}  // namespace
}  // namespace berth
