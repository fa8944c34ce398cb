// SPDX-License-Identifier: Apache-2.0
#include "learn/run/ranks.h"

#include <gtest/gtest.h>

#include "learn/distributed/thread_communicator.h"

namespace berth::learn {
namespace {

constexpr double kPatience = 60.0;

TEST(Ranks, AllSucceedOrAllFailWithTheWordsOfTheFirstThatDid) {
  std::array<Status, 3> ends;
  run_ranks(3, kPatience, [&](Communicator& ranks) {
    const Status mine = ranks.rank() == 0 ? Status() : Status(infeasible("no room on {}", ranks.rank()));
    ends[static_cast<std::size_t>(ranks.rank())] = agree(ranks, mine);
  });
  for (const Status& end : ends) {
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, ErrorCode::kInfeasible);
  }
  EXPECT_EQ(ends[0].error().message, "rank 1: no room on 1");
  EXPECT_EQ(ends[2].error().message, "") << "rank 0 speaks for all";
}

TEST(Ranks, WhatRankZeroMakesIsMadeOnce) {
  std::atomic<int> made = 0;
  std::array<std::string, 3> texts;
  run_ranks(3, kPatience, [&](Communicator& ranks) {
    texts[static_cast<std::size_t>(ranks.rank())] =
        from_root(ranks, [&]() -> Result<std::string> { return fmt::format("made {}", ++made); }).value();
  });
  EXPECT_EQ(made, 1);
  for (const std::string& text : texts) EXPECT_EQ(text, "made 1");
}

TEST(Ranks, OneThatWantsToStopStopsAll) {
  for (const int who : {0, 1, 2}) {
    std::array<bool, 3> stops{};
    run_ranks(3, kPatience, [&](Communicator& ranks) {
      stops[static_cast<std::size_t>(ranks.rank())] = any_of(ranks, ranks.rank() == who).value();
    });
    EXPECT_EQ(stops, (std::array{true, true, true}));
  }
}

TEST(Ranks, BeginAtTheSamePlaceWithRandomStreamsOfTheirOwn) {
  TrainState state;
  state.updates = 7;
  state.values = {1.0F, 2.0F};
  state.lessons.emplace_back().baseline = 0.5;
  std::array<TrainState, 2> shared;
  run_ranks(2, kPatience, [&](Communicator& ranks) {
    TrainState mine = state;
    if (!ranks.is_root()) mine.values = {0.0F, 0.0F}, mine.updates = 0;
    shared[static_cast<std::size_t>(ranks.rank())] = share_state(ranks, mine, 3).value();
  });
  EXPECT_EQ(shared[1].updates, 7U);
  EXPECT_EQ(shared[1].values, state.values);
  EXPECT_EQ(shared[1].lessons.front().baseline, 0.5);
  EXPECT_NE(shared[0].rng.next(), shared[1].rng.next());
}

}  // namespace
}  // namespace berth::learn
