// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/arrange.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <limits>

#include "model/shapes/dims.h"

namespace berth {
namespace {

// "2,?,n": sizes, unknown ones by their name if they have one.
std::string sizes_in(const std::optional<Shape>& shape) {
  if (!shape) return "nothing";
  std::vector<std::string> sizes;
  for (const Dim& dim : *shape) {
    sizes.push_back(dim.known() ? fmt::format("{}", dim.size) : dim.symbol.empty() ? "?" : dim.symbol);
  }
  return fmt::format("{}", fmt::join(sizes, ","));
}

const Dim kBatch{-1, "n"};

TEST(Arrange, JoinsAddUpAlongOneAxis) {
  const Shape a{kBatch, {3}}, b{Dim{}, {4}}, c{{2}, {5}}, other{{7}};
  EXPECT_EQ(sizes_in(joined({&a, &c}, 1)), "2,8");
  EXPECT_EQ(sizes_in(joined({&a, &b}, 1)), "?,7") << "a name is no size: the next part is asked";
  EXPECT_EQ(sizes_in(joined({&a, &b, &c}, 1)), "2,12");
  EXPECT_EQ(sizes_in(joined({&a, &c}, 0)), "?,3");
  EXPECT_EQ(sizes_in(joined({&a}, 0)), "n,3");
  EXPECT_EQ(sizes_in(joined({&c, nullptr}, 1)), "2,?");
  EXPECT_EQ(sizes_in(joined({&c, &other}, 1)), "2,?") << "another rank";
}

TEST(Arrange, WhatIsLeftIsASize) {
  EXPECT_EQ(sizes_in(Shape{left_over({{2}, {3}, {4}}, {{6}})}), "4");
  EXPECT_EQ(sizes_in(Shape{left_over({{2}, {3}}, {{4}})}), "?") << "does not come out even";
  EXPECT_EQ(sizes_in(Shape{left_over({kBatch, {3}, {4}}, {{12}})}), "n");
  EXPECT_EQ(sizes_in(Shape{left_over({kBatch, {3}, {4}}, {{6}})}), "?") << "twice n has no name";
  EXPECT_EQ(sizes_in(Shape{left_over({kBatch, kBatch}, {})}), "?");
  EXPECT_EQ(sizes_in(Shape{left_over({{6}}, {Dim{}})}), "?");
  EXPECT_EQ(sizes_in(Shape{left_over({{0}}, {{0}})}), "?");
}

TEST(Arrange, AxesComeAndGo) {
  const Shape shape{{2}, {3}, {4}};
  EXPECT_EQ(sizes_in(with_axis(shape, 0, {9})), "9,2,3,4");
  EXPECT_EQ(sizes_in(with_axis(shape, 3, kBatch)), "2,3,4,n");
  EXPECT_EQ(sizes_in(without_axis(shape, 1)), "2,4");
  EXPECT_EQ(sizes_in(reduced(shape, {true, false, true}, false)), "3");
  EXPECT_EQ(sizes_in(reduced(shape, {true, false, true}, true)), "1,3,1");
}

TEST(Arrange, IndicesPickRows) {
  const Shape table{{50}, {8}, {3}}, indices{kBatch, {6}};
  EXPECT_EQ(sizes_in(rows_of(table, indices, 0)), "n,6,8,3");
  EXPECT_EQ(sizes_in(rows_of(table, indices, 1)), "50,n,6,3");
  EXPECT_EQ(sizes_in(rows_of(table, {{50}, {6}}, 1, 1)), "50,6,3");
  EXPECT_EQ(sizes_in(picked_by_rows(table, {{7}, {2}}, 0)), "7,3");
  EXPECT_EQ(sizes_in(picked_by_rows(table, {{50}, {2}}, 1)), "50");
  EXPECT_EQ(sizes_in(picked_by_rows(table, {{7}, {4}}, 0)), "nothing") << "deeper than the table";
  EXPECT_EQ(sizes_in(picked_by_rows(table, indices, 3)), "nothing");
}

TEST(Arrange, MatricesMultiply) {
  EXPECT_EQ(sizes_in(matrix_product({{2}, {3}}, {{3}, {5}})), "2,5");
  EXPECT_EQ(sizes_in(matrix_product({kBatch, {1}, {2}, {3}}, {{4}, {3}, {5}})), "n,4,2,5");
  EXPECT_EQ(sizes_in(matrix_product({{3}}, {{4}, {3}, {5}})), "4,5") << "a row";
  EXPECT_EQ(sizes_in(matrix_product({{2}, {3}}, {{3}})), "2") << "a column";
  EXPECT_EQ(sizes_in(matrix_product({}, {{3}})), "nothing");
  EXPECT_EQ(sizes_in(matrix_product({{7}, {2}, {3}}, {{4}, {3}, {5}})), "7,2,5");
  EXPECT_EQ(sizes_in(matrix_product({{7}, {2}, {3}}, {{4}, {3}, {5}}, Mismatch::kUnknown)), "?,2,5");
  EXPECT_EQ(sizes_in(with_last_two_swapped({{7}, {2}, {3}})), "7,3,2");
}

TEST(Arrange, EquationsNameAxes) {
  const Shape a{kBatch, {2}, {3}}, b{Dim{}, {3}, {5}};
  EXPECT_EQ(sizes_in(einsum_shape("bij,bjk->bik", {&a, &b})), "n,2,5");
  EXPECT_EQ(sizes_in(einsum_shape("bij, bjk", {&a, &b})), "2,5") << "letters that occur once";
  EXPECT_EQ(sizes_in(einsum_shape("bij,bjk->bikq", {&a, &b})), "nothing");
  EXPECT_EQ(sizes_in(einsum_shape("...ij->...ji", {&a})), "nothing");
  EXPECT_EQ(sizes_in(einsum_shape("bij->b", {&a, &b})), "nothing");
  EXPECT_EQ(sizes_in(einsum_shape("bij->bj", {nullptr})), "?,?");
  EXPECT_EQ(sizes_in(einsum_shape("", {&a})), "nothing");
}

TEST(Arrange, BlocksMoveBetweenChannelsAndPlane) {
  EXPECT_EQ(sizes_in(blocks_into_plane({{1}, {12}, {5}, kBatch}, 1, 2, 2)), "1,3,10,?");
  EXPECT_EQ(sizes_in(blocks_into_channels({{1}, {10}, {6}, {3}}, 3, 1, 2)), "1,5,3,12");
  EXPECT_EQ(sizes_in(blocks_into_channels({{1}, {9}, {6}, {3}}, 3, 1, 2)), "1,?,3,12") << "does not come out even";
}

std::int64_t length_of(SliceRange range, std::int64_t size) { return slice_length(range, size); }

TEST(Slices, AreCountedFromBothEnds) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(length_of({1, 8, 3}, 10), 3);
  EXPECT_EQ(length_of({-3, 100, 1}, 10), 3);
  EXPECT_EQ(length_of({8, 1, 1}, 10), 0);
  EXPECT_EQ(length_of({9, 0, -1}, 10), 9);
  EXPECT_EQ(length_of({9, -11, -1}, 10), 10) << "before the first";
  EXPECT_EQ(length_of({0, 0, -2, true, true}, 10), 5);
  EXPECT_EQ(length_of({5, kLowest, kLowest}, 10), 1);
  SliceRange range{-4, -1, 1};
  EXPECT_EQ(slice_length(range, 10), 3);
  EXPECT_EQ(range.begin, 6);
}

TEST(Slices, RangesAreCountedUpAndDown) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(range_length(0, 10, 3).size, 4);
  EXPECT_EQ(range_length(10, 0, -5).size, 2);
  EXPECT_EQ(range_length(3, 3, 1).size, 0);
  EXPECT_FALSE(range_length(0, 5, 0).known());
  EXPECT_FALSE(range_length(kLowest, 5, 1).known());
  EXPECT_FALSE(range_length(5, 0, kLowest).known());
}

}  // namespace
}  // namespace berth
