// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/idle_gaps.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace berth {
namespace {

TEST(IdleGaps, FindsTheFirstGapThatHolds) {
  IdleGaps gaps;
  gaps.occupy(2, 3);  // idle: 0-2, 5-
  gaps.occupy(9, 1);  // idle: 0-2, 5-9, 10-
  EXPECT_EQ(gaps.earliest(0, 2), 0);
  EXPECT_EQ(gaps.earliest(0, 3), 5);
  EXPECT_EQ(gaps.earliest(1, 2), 5);
  EXPECT_EQ(gaps.earliest(6, 3), 6);
  EXPECT_EQ(gaps.earliest(6, 4), 10);
  EXPECT_EQ(gaps.earliest(0, 5), 10);
}

TEST(IdleGaps, FilledGapsAreGone) {
  IdleGaps gaps;
  gaps.occupy(2, 2);
  gaps.occupy(0, 2);
  EXPECT_EQ(gaps.earliest(0, 1), 4);
  gaps.occupy(10, 5);
  gaps.occupy(4, 6);
  EXPECT_EQ(gaps.earliest(0, 1), 15);
}

// Against a plain array of unit slots, long enough for many blocks.
TEST(IdleGaps, AgreesWithAnArrayOfSlots) {
  Rng rng(3);
  IdleGaps gaps;
  std::vector<bool> busy(20000, false);
  const auto slow = [&](std::size_t ready, std::size_t duration) {
    for (std::size_t start = ready, run = 0, at = ready;; ++at) {
      run = busy[at] ? 0 : run + 1;
      if (busy[at]) start = at + 1;
      if (run == duration) return start;
    }
  };
  for (int i = 0; i < 1500; ++i) {
    const std::size_t ready = rng.below(9000), duration = 1 + rng.below(5);
    const std::size_t start = slow(ready, duration);
    ASSERT_EQ(gaps.earliest(static_cast<Picoseconds>(ready), static_cast<Picoseconds>(duration)),
              static_cast<Picoseconds>(start));
    gaps.occupy(static_cast<Picoseconds>(start), static_cast<Picoseconds>(duration));
    for (std::size_t at = start; at < start + duration; ++at) busy[at] = true;
  }
}

}  // namespace
}  // namespace berth
