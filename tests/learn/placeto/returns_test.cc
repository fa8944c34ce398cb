// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/returns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "learn/distributed/thread_communicator.h"

namespace berth::learn {
namespace {

// One episode: the start is worth -10, then -8, -9, -4 and -5.
const PerEpisode kWorth{{-10.0, -8.0, -9.0, -4.0, -5.0}};

TEST(Returns, RewardsAddUpToTheTotalDrop) {
  Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> worth(1 + 1 + rng.below(30));
    for (double& each : worth) each = -10.0 * rng.uniform();
    const std::vector<double> single = returns_of({worth}, Returns::kDrop, 0.0).front();  // nothing of what comes later
    ASSERT_EQ(single.size(), worth.size() - 1);
    EXPECT_NEAR(std::accumulate(single.begin(), single.end(), 0.0), worth.back() - worth.front(), 1e-9);
    EXPECT_NEAR(returns_of({worth}, Returns::kDrop, 1.0).front().front(), worth.back() - worth.front(), 1e-9);
  }
}

TEST(Returns, AreWhatTheirNamesSay) {
  EXPECT_EQ(returns_of(kWorth, Returns::kDrop, 0.0).front(), (std::vector<double>{2.0, -1.0, 5.0, -1.0}));
  EXPECT_EQ(returns_of(kWorth, Returns::kDrop, 1.0).front(), (std::vector<double>{5.0, 3.0, 4.0, -1.0}));
  EXPECT_EQ(returns_of(kWorth, Returns::kDrop, 0.5).front(), (std::vector<double>{2.625, 1.25, 4.5, -1.0}));
  EXPECT_EQ(returns_of(kWorth, Returns::kBest, 1.0).front(), (std::vector<double>{6.0, 4.0, 5.0, -1.0}));
  EXPECT_EQ(returns_of(kWorth, Returns::kFinal, 1.0).front(), (std::vector<double>{-5.0, -5.0, -5.0, -5.0}));
}

TEST(Returns, EachIsComparedWithTheOthersAtItsStep) {
  PerEpisode returns{{1.0, 10.0}, {2.0, 10.0}, {6.0, 10.0}};
  const std::unique_ptr<Communicator> alone = make_alone();
  double spread = 0.0;
  ASSERT_TRUE(subtract_others(returns, *alone, spread));
  EXPECT_EQ(returns, (PerEpisode{{-3.0, 0.0}, {-1.5, 0.0}, {4.5, 0.0}}));
  EXPECT_DOUBLE_EQ(spread, std::sqrt((9.0 + 2.25 + 20.25) / 6.0));
}

TEST(Returns, EpisodesOfAllRanksCountAlike) {
  const PerEpisode all{{1.0, 4.0}, {2.0, -4.0}, {6.0, 0.5}, {3.0, 2.0}};
  PerEpisode together = all;
  const std::unique_ptr<Communicator> alone = make_alone();
  double spread = 0.0;
  ASSERT_TRUE(subtract_others(together, *alone, spread));
  run_ranks(2, 600.0, [&](Communicator& communicator) {
    const auto first = static_cast<std::size_t>(2 * communicator.rank());
    PerEpisode own{all[first], all[first + 1]};
    double own_spread = 0.0;
    EXPECT_TRUE(subtract_others(own, communicator, own_spread));
    EXPECT_DOUBLE_EQ(own_spread, spread);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t step = 0; step < 2; ++step) EXPECT_DOUBLE_EQ(own[i][step], together[first + i][step]);
  });
}

}  // namespace
}  // namespace berth::learn
