// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/op_features.h"

#include <gtest/gtest.h>

#include "problem/parts.h"

namespace berth {
namespace {

OpFeatures features_of_one(const OneOp& spec) {
  const OneOpGraph one = one_op(spec);
  return features_of(one.graph, one.op);
}

// 8 images of 10x10, 16 -> 32 channels, 3x3 window, same padding: flops = 2 * |y| * 16 * 9.
const std::vector<std::int64_t> kX{8, 16, 10, 10}, kY{8, 32, 10, 10}, kW{32, 16, 3, 3};
constexpr double kFlops = 2.0 * 8 * 32 * 100 * 16 * 9;

TEST(OpFeatures, MatmulIsFlopsAndBytes) {
  const OpFeatures f = features_of_one({"matmul", {{64, 128}, {128, 32}}, {{64, 32}}, 2.0 * 64 * 128 * 32});
  EXPECT_EQ(f.cost_class, CostClass::kMatmul);
  EXPECT_EQ(f.flops, 524288.0);
  EXPECT_EQ(f.bytes, 4.0 * (64 * 128 + 128 * 32 + 64 * 32));
  EXPECT_EQ(f.products, 1.0);
}

TEST(OpFeatures, NarrowerSideOfAConvolution) {
  EXPECT_DOUBLE_EQ(features_of_one({"conv2d", {kX, kW}, {kY}, kFlops}).channels, 16.0);
  EXPECT_DOUBLE_EQ(features_of_one({"conv2d_grad_input", {kY, kW}, {kX}, kFlops}).channels, 16.0);
  EXPECT_DOUBLE_EQ(features_of_one({"conv2d_grad_weight", {kY, kX}, {kW}, kFlops}).channels, 16.0);
}

TEST(OpFeatures, NarrowerSideChannelsLast) {
  const OpFeatures f = features_of_one({"Conv2D", {{8, 10, 10, 16}, {3, 3, 16, 32}}, {{8, 10, 10, 32}}, kFlops});
  EXPECT_DOUBLE_EQ(f.channels, 16.0);
}

TEST(OpFeatures, BothGradientsInOneOpAreTwoProducts) {
  const OpFeatures both = features_of_one({"convolution_backward", {kY, kX, kW}, {kX, kW, {32}}, 2.0 * kFlops});
  EXPECT_EQ(both.products, 2.0);
  EXPECT_DOUBLE_EQ(both.channels, 16.0);
  EXPECT_EQ(features_of_one({"convolution_backward", {kY, kX, kW}, {kW, {32}}, kFlops}).products, 1.0);
}

TEST(OpFeatures, GatherReadsOnlyTheRowsItWrites) {
  const OpFeatures f = features_of_one({"embedding", {{30000, 100}}, {{64, 100}}, 0.0, {{64}}});
  EXPECT_EQ(f.rows, 64.0);
  EXPECT_EQ(f.bytes, 2.0 * 64 * 100 * 4 + 64 * 8);
}

TEST(OpFeatures, ScatterWritesTheWholeTable) {
  const OpFeatures f = features_of_one({"embedding_grad", {{64, 100}}, {{30000, 100}}, 0.0, {{64}}});
  EXPECT_EQ(f.rows, 64.0);
  EXPECT_EQ(f.bytes, 30000.0 * 100 * 4 + 64 * 100 * 4 + 64 * 8);
}

TEST(OpFeatures, BatchNormIsAsParallelAsItHasChannels) {
  const OpFeatures f = features_of_one({"batch_norm", {kX, {16}, {16}}, {kX, {16}, {16}}});
  EXPECT_EQ(f.slices, 16.0);
  EXPECT_EQ(f.rows, 8.0 * 16);
}

TEST(OpFeatures, FillsReadNothing) { EXPECT_EQ(features_of_one({"new_zeros", {{1000}}, {{10}}}).bytes, 40.0); }

}  // namespace
}  // namespace berth
