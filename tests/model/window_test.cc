// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/window.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/model.h"

namespace berth {
namespace {

TEST(Window, SlidesAsFarAsItFits) {
  EXPECT_EQ(slide(9, {.size = 3}, Padding::kStated), 7);
  EXPECT_EQ(slide(224, {.size = 7, .stride = 2, .pad_begin = 3, .pad_end = 3}, Padding::kStated), 112);
  EXPECT_EQ(slide(9, {.size = 3, .dilation = 2}, Padding::kStated), 5);
  EXPECT_EQ(slide(9, {.size = 3, .pad_begin = 1, .pad_end = 1}, Padding::kNone), 7);
  EXPECT_EQ(slide(9, {.size = 3, .stride = 2}, Padding::kSame), 5);
  EXPECT_EQ(slide(2, {.size = 3}, Padding::kStated), 0);
}

// 7 numbers in pairs, one of padding before and two behind: places 0, 2, 4, 6 and 8, of which the last is all padding.
TEST(Window, RoundsAsAsked) {
  const SlidingWindow pairs{.size = 2, .stride = 2, .pad_begin = 1, .pad_end = 2};
  EXPECT_EQ(slide(7, {.size = 2, .stride = 2}, Padding::kStated, Rounding::kDown), 3);
  EXPECT_EQ(slide(7, {.size = 2, .stride = 2}, Padding::kStated, Rounding::kUp), 4);
  EXPECT_EQ(slide(7, pairs, Padding::kStated, Rounding::kDown), 5);
  EXPECT_EQ(slide(7, pairs, Padding::kStated, Rounding::kUp), 5);
  EXPECT_EQ(slide(7, pairs, Padding::kStated, Rounding::kUpInside), 4);
}

TEST(Window, SpreadsAsFarAsItReaches) {
  EXPECT_EQ(spread(4, {.size = 3, .stride = 2}, Padding::kStated), 9);
  EXPECT_EQ(spread(4, {.size = 3, .stride = 2, .pad_begin = 1, .pad_end = 1}, Padding::kStated, 1), 8);
  EXPECT_EQ(spread(4, {.size = 3, .stride = 2}, Padding::kSame), 8);
}

TEST(Window, NumbersThatMakeNoSenseGiveNoLength) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(slide(-1, {.size = 3}, Padding::kStated), -1);
  EXPECT_EQ(slide(9, {.size = 3, .stride = 0}, Padding::kSame), -1);
  EXPECT_EQ(slide(9, {.size = kMost, .dilation = kMost}, Padding::kStated), -1);
}

TEST(Window, LengthsBeyondAllWindowsAreTooLarge) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(slide(kMost, {.size = 3}, Padding::kStated), kTooLarge);
  EXPECT_EQ(spread(kMost, {.size = 3, .stride = kMost}, Padding::kStated), kTooLarge);
}

}  // namespace
}  // namespace berth
