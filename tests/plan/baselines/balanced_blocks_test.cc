// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/balanced_blocks.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Blocks = std::vector<std::uint32_t>;

std::vector<LayerLoad> layer_loads(std::initializer_list<Picoseconds> times, Bytes resident = 1) {
  std::vector<LayerLoad> loads;
  for (const Picoseconds time : times) loads.push_back({time, resident});
  return loads;
}

TEST(BalancedBlocks, MinimisesTheLongestBlock) {
  const std::vector<std::vector<LayerLoad>> loads(3, layer_loads({5, 1, 1, 3, 3}));
  EXPECT_EQ(balanced_blocks(loads, std::vector<Bytes>{9, 9, 9}), (Blocks{0, 1, 1, 1, 2}));
}

TEST(BalancedBlocks, AFasterDeviceTakesMore) {
  const std::vector<std::vector<LayerLoad>> loads{layer_loads({1, 1, 1, 1, 1, 1}), layer_loads({2, 2, 2, 2, 2, 2})};
  EXPECT_EQ(balanced_blocks(loads, std::vector<Bytes>{9, 9}), (Blocks{0, 0, 0, 0, 1, 1}));
}

TEST(BalancedBlocks, RespectsCapacityBeforeTime) {
  const std::vector<std::vector<LayerLoad>> loads(2, layer_loads({1, 1, 1, 1}, 10));
  EXPECT_EQ(balanced_blocks(loads, std::vector<Bytes>{10, 30}), (Blocks{0, 1, 1, 1}));
}

TEST(BalancedBlocks, StillAnswersWhenNothingFits) {
  const std::vector<std::vector<LayerLoad>> loads(2, layer_loads({1, 1}, 10));
  EXPECT_EQ(balanced_blocks(loads, std::vector<Bytes>{1, 1}).size(), 2U);
}

TEST(BalancedBlocks, OneDeviceTakesAll) {
  const std::vector<std::vector<LayerLoad>> loads(1, layer_loads({1, 2, 3}));
  EXPECT_EQ(balanced_blocks(loads, std::vector<Bytes>{9}), (Blocks{0, 0, 0}));
}

}  // namespace
}  // namespace berth
