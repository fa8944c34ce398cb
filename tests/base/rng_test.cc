// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

namespace berth {
namespace {

// Golden values: whoever changes them changes every seeded result that was ever published.
TEST(Rng, StreamsAreFixedForever) {
  Rng rng(1);
  EXPECT_EQ(rng.next(), 0xb3f2af6d0fc710c5ULL);
  EXPECT_EQ(rng.next(), 0x853b559647364ceaULL);
  EXPECT_EQ(rng.next(), 0x92f89756082a4514ULL);
  EXPECT_EQ(Rng(0).next(), 0x99ec5f36cb75f2b4ULL);
  EXPECT_EQ(Rng(std::numeric_limits<std::uint64_t>::max()).next(), 0x8f5520d52a7ead08ULL);
}

TEST(Rng, GoesOnFromAStateThatWasKept) {
  Rng rng(7);
  rng.normal();  // leaves a spare one, which belongs to the state
  Rng copy = Rng::from_state(rng.state());
  EXPECT_EQ(copy.state(), rng.state());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(copy.normal(), rng.normal());
  EXPECT_EQ(copy.next(), rng.next());
  EXPECT_EQ(copy.state(), rng.state());
}

TEST(Rng, DistributionsAreFixedForever) {
  Rng rng(42);
  std::vector<std::uint64_t> dice;
  for (int i = 0; i < 8; ++i) dice.push_back(rng.below(6));
  EXPECT_EQ(dice, (std::vector<std::uint64_t>{0, 0, 5, 5, 4, 0, 4, 3}));
  EXPECT_EQ(rng.between(-1000, 1000), -969);
  EXPECT_EQ(rng.uniform(), 0.5833493097373993);
  EXPECT_DOUBLE_EQ(rng.normal(), 1.0078198992420604);
  EXPECT_DOUBLE_EQ(rng.normal(), -1.1562389645934583);
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  rng.shuffle(std::span(items));
  EXPECT_EQ(items, (std::vector<int>{2, 3, 4, 7, 0, 1, 5, 6}));
  EXPECT_EQ(rng.fork().next(), 0x3959a2c7978505e9ULL);
}

TEST(Rng, EqualSeedsGiveEqualStreamsAndOthersDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng a(seed), b(seed);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(a.next(), b.next());
    first.insert(Rng(seed).next());
  }
  EXPECT_EQ(first.size(), 1000U);
}

TEST(Rng, ForksAreStreamsOfTheirOwn) {
  Rng parent(5);
  Rng child = parent.fork();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(parent.next());
    seen.insert(child.next());
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(Rng, BelowStaysBelow) {
  Rng rng(2);
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 7ULL, 1000ULL, (1ULL << 63) + 1, ~0ULL}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(bound), bound);
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(rng.below(1), 0U);
}

// A bound just above 3/4 of all words: taking the remainder alone would hit the lowest third twice as often.
TEST(Rng, BelowHasNoBias) {
  Rng rng(3);
  const std::uint64_t bound = 3ULL << 62;
  int low = 0;
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) low += rng.below(bound) < (1ULL << 62) ? 1 : 0;
  EXPECT_NEAR(low, kDraws / 3, 600);  // five deviations are 577
}

TEST(Rng, BetweenReachesBothEnds) {
  Rng rng(4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(rng.between(9, 9), 9);
}

TEST(Rng, BetweenTakesTheWidestRanges) {
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min(), kHigh = std::numeric_limits<std::int64_t>::max();
  Rng rng(5);
  int negative = 0;
  for (int i = 0; i < 10'000; ++i) negative += rng.between(kLow, kHigh) < 0 ? 1 : 0;
  EXPECT_NEAR(negative, 5000, 250);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = rng.between(kLow + 5, kHigh - 5);
    ASSERT_GE(value, kLow + 5);
    ASSERT_LE(value, kHigh - 5);
  }
}

TEST(Rng, BelowIsUniform) {
  Rng rng(6);
  constexpr int kCells = 10, kDraws = 100'000;
  std::array<int, kCells> count{};
  for (int i = 0; i < kDraws; ++i) ++count[rng.below(kCells)];
  double chi_square = 0;
  for (const int n : count) chi_square += std::pow(n - kDraws / kCells, 2) / (kDraws / kCells);
  EXPECT_LT(chi_square, 27.9);  // nine degrees of freedom, one in a thousand
}

TEST(Rng, UniformIsUniformAndNeverOne) {
  Rng rng(7);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.005);
}

TEST(Rng, NormalHasItsMoments) {
  Rng rng(8);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, within_one = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    within_one += std::abs(x) < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.03);
  EXPECT_NEAR(within_one / kDraws, 0.6827, 0.01);
}

TEST(Rng, ChanceKeepsItsOdds) {
  Rng rng(9);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) {
    hits += rng.chance(0.3) ? 1 : 0;
    ASSERT_FALSE(rng.chance(0.0));
    ASSERT_TRUE(rng.chance(1.0));
  }
  EXPECT_NEAR(hits, 3000, 230);
}

TEST(Rng, ShuffleKeepsTheItemsAndReachesEveryOrder) {
  Rng rng(10);
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 1000; ++i) {
    std::vector<int> items{1, 2, 3, 4};
    rng.shuffle(std::span(items));
    orders.insert(items);
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<int>{1, 2, 3, 4}));
  }
  EXPECT_EQ(orders.size(), 24U);
  std::vector<int> none;
  rng.shuffle(std::span(none));
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace berth
