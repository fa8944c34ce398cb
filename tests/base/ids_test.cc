// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/disjoint_sets.h"
#include "base/kinds.h"
#include "base/rng.h"

namespace berth {
namespace {

static_assert(!std::is_convertible_v<OpId, TensorId> && !std::is_convertible_v<OpId, std::size_t>);
static_assert(index(OpId{7}) == 7 && index(kNoDevice) == 65535);
static_assert(ids<OpId>(3).size() == 3 && ids<OpId>(0).empty() && ids<OpId>(3)[2] == OpId{2});

TEST(Ids, RangesCountUp) {
  std::vector<OpId> seen;
  for (const OpId op : ids<OpId>(3)) seen.push_back(op);
  EXPECT_EQ(seen, (std::vector<OpId>{OpId{0}, OpId{1}, OpId{2}}));
  const IdRange<TensorId> tensors(5, 7);
  EXPECT_EQ(std::vector<TensorId>(tensors.begin(), tensors.end()), (std::vector<TensorId>{TensorId{5}, TensorId{6}}));
  EXPECT_EQ(tensors[1], TensorId{6});
  auto iterator = tensors.begin();
  EXPECT_EQ(*iterator++, TensorId{5});
  EXPECT_EQ(*iterator, TensorId{6});
}

TEST(DisjointSets, RootIsTheLowestMember) {
  DisjointSets sets(6);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(sets.root(i), i);
  sets.unite(5, 3);
  EXPECT_EQ(sets.root(5), 3U);
  sets.unite(4, 2);
  sets.unite(5, 4);
  EXPECT_EQ(sets.root(3), 2U);
  EXPECT_EQ(sets.root(5), 2U);
  sets.unite(5, 5);
  sets.unite(2, 5);
  EXPECT_EQ(sets.root(0), 0U);
  EXPECT_EQ(sets.root(1), 1U);
}

TEST(DisjointSets, AgreesWithLabelsOnRandomUnions) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    constexpr std::uint32_t kItems = 40;
    DisjointSets sets(kItems);
    std::vector<std::uint32_t> label(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) label[i] = i;
    for (std::uint64_t unions = rng.below(50); unions > 0; --unions) {
      const auto a = static_cast<std::uint32_t>(rng.below(kItems)), b = static_cast<std::uint32_t>(rng.below(kItems));
      sets.unite(a, b);
      const std::uint32_t low = std::min(label[a], label[b]), high = std::max(label[a], label[b]);
      std::replace(label.begin(), label.end(), high, low);
    }
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(sets.root(i), label[i]);
  }
}

TEST(Kinds, NamesReadBack) {
  for (int i = 0; i <= static_cast<int>(DType::kI4); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
    EXPECT_GE(bits_of(dtype), 4);
  }
  for (int i = 0; i < kDeviceKinds; ++i) {
    const auto kind = static_cast<DeviceKind>(i);
    EXPECT_EQ(device_kind_from_name(name_of(kind)), kind);
    EXPECT_NE(kind_bit(kind) & kAnyKind, 0);
  }
  EXPECT_EQ(dtype_from_name("float"), std::nullopt);
  EXPECT_EQ(device_kind_from_name("GPU"), std::nullopt);
}

TEST(Kinds, WidthsAreThoseOfTheNames) {
  EXPECT_EQ(name_of(DType::kBF16), "bf16");
  EXPECT_EQ(bits_of(DType::kBF16), 16);
  EXPECT_EQ(bits_of(DType::kF64), 64);
  EXPECT_EQ(bits_of(DType::kF32), 32);
  EXPECT_EQ(bits_of(DType::kTF32), 32);
  EXPECT_EQ(bits_of(DType::kF8), 8);
  EXPECT_EQ(bits_of(DType::kI64), 64);
  EXPECT_EQ(bits_of(DType::kBool), 8);
  EXPECT_EQ(bits_of(DType::kC128), 128);
  EXPECT_EQ(bits_of(DType::kI4), 4);
  EXPECT_EQ(name_of(DeviceKind::kFpga), "fpga");
}

}  // namespace
}  // namespace berth
