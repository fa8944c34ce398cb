// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/item_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace berth {
namespace {

using Items = std::vector<std::uint32_t>;

Items by_label(const ItemOrder& order, Items items) {
  std::ranges::sort(items, {}, [&](std::uint32_t item) { return order.label(item); });
  return items;
}

TEST(ItemOrder, MovesItems) {
  const Items all{0, 1, 2, 3, 4};
  ItemOrder order(Items{4, 2, 0, 1, 3});
  EXPECT_EQ(by_label(order, all), (Items{4, 2, 0, 1, 3}));
  order.move_behind(3, Items{2, 4});
  EXPECT_EQ(by_label(order, all), (Items{0, 1, 3, 2, 4}));
  order.move_before(0, Items{3, 4});
  EXPECT_EQ(by_label(order, all), (Items{3, 4, 0, 1, 2}));
  order.remove(0);
  order.move_behind(4, Items{2});
  EXPECT_EQ(by_label(order, Items{1, 2, 3, 4}), (Items{3, 4, 2, 1}));
}

// Thousands of moves to the same place use every gap up many times over.
TEST(ItemOrder, AgreesWithAListWhateverIsMoved) {
  constexpr std::uint32_t kItems = 12;
  Items list(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) list[i] = i;
  ItemOrder order(list);
  Rng rng(3);
  for (int round = 0; round < 5000; ++round) {
    Items moved;
    for (std::uint32_t item = 1; item < kItems; ++item) {
      if (rng.chance(0.2)) moved.push_back(item);
    }
    rng.shuffle(std::span(moved));
    std::erase_if(list, [&](std::uint32_t item) { return std::ranges::find(moved, item) != moved.end(); });
    const bool behind = rng.chance(0.5);
    const auto place = std::ranges::find(list, 0U);
    list.insert(behind ? place + 1 : place, moved.begin(), moved.end());
    if (behind) {
      order.move_behind(0, moved);
    } else {
      order.move_before(0, moved);
    }
    ASSERT_EQ(by_label(order, list), list) << round;
  }
}

}  // namespace
}  // namespace berth
