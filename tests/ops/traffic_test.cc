// SPDX-License-Identifier: Apache-2.0
#include "ops/traffic.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth {
namespace {

Bytes touched(Dialect dialect, std::string_view type, const std::vector<Bytes>& inputs, Bytes outputs) {
  const auto info = find_op(dialect, type);
  EXPECT_TRUE(info) << type;
  return bytes_touched(info.value_or(OpInfo{}).traffic, inputs, outputs);
}

TEST(Traffic, OfAtenOps) {
  const auto aten = [](std::string_view type, const std::vector<Bytes>& inputs, Bytes outputs) {
    return touched(Dialect::kAten, type, inputs, outputs);
  };
  EXPECT_EQ(aten("aten.add.Tensor", {10, 20}, 30), -1);
  EXPECT_EQ(aten("aten.embedding.default", {1'000'000, 8}, 100), 208);
  EXPECT_EQ(aten("aten.embedding_dense_backward.default", {100, 8}, 1'000'000), -1);
  EXPECT_EQ(aten("aten.gather.default", {50, 8}, 100), 158) << "never more than all";
  EXPECT_EQ(aten("aten.nll_loss_backward.default", {4, 5000, 16, 4}, 5000), 5024);
  EXPECT_EQ(aten("aten.new_zeros.default", {500}, 100), 100);
  EXPECT_EQ(aten("aten.zeros_like.default", {}, 100), -1) << "without its input";
  EXPECT_EQ(aten("aten._unsafe_view.default", {500}, 500), 0);
  EXPECT_EQ(aten("sgd_update", {100, 100}, 0), 300) << "reads parameter and gradient, writes the parameter";
}

TEST(Traffic, OfSlicesGathersAndShapes) {
  EXPECT_EQ(touched(Dialect::kOnnx, "Slice", {1000, 8, 8}, 100), 216);
  EXPECT_EQ(touched(Dialect::kTensorFlow, "StridedSlice", {1000, 8, 8, 8}, 40), 104);
  EXPECT_EQ(touched(Dialect::kTensorFlow, "GatherV2", {1'000'000, 64, 4}, 512), 512 + 64 + 4 + 512);
  EXPECT_EQ(touched(Dialect::kOpenVino, "Gather", {1'000'000, 64, 4}, 512), 512 + 64 + 4 + 512);
  EXPECT_EQ(touched(Dialect::kOnnx, "Shape", {1000}, 16), 0);
  // Words, positions and segments are looked up in three tables; two ids, gamma and beta are read whole.
  EXPECT_EQ(touched(Dialect::kOnnx, "com.microsoft.EmbedLayerNormalization", {8, 8, 9000, 700, 200, 10, 10}, 500),
            500 + 8 + 8 + 500 + 500 + 200 + 10 + 10);
}

TEST(Traffic, OfOptimisers) {
  EXPECT_EQ(touched(Dialect::kTensorFlow, "ApplyGradientDescent", {100, 4, 100}, 0), 304);
  EXPECT_EQ(touched(Dialect::kTensorFlow, "ApplyMomentum", {100, 100, 4, 100, 4}, 0), 508) << "writes two variables";
  EXPECT_EQ(touched(Dialect::kTensorFlow, "ResourceApplyAdam", {100, 100, 100, 4, 4, 4, 4, 4, 4, 100}, 0),
            600 + 24 + 100);
  EXPECT_EQ(touched(Dialect::kTensorFlow, "ScatterAdd", {9000, 8, 100}, 0), 108 + 2 * 108) << "rows, not the table";
  EXPECT_EQ(touched(Dialect::kTensorFlow, "Assign", {100, 100}, 0), -1);
}

TEST(Traffic, SumsDoNotOverflow) {
  const std::vector<Bytes> huge(1000, kMaxTotalBytes);
  EXPECT_EQ(bytes_touched({Reads::kGathered, 0, 1}, huge, kMaxTotalBytes), kMaxTotalBytes);
  EXPECT_EQ(bytes_touched({Reads::kRewrites, 0, 200}, huge, kMaxTotalBytes), kMaxTotalBytes);
}

}  // namespace
}  // namespace berth
