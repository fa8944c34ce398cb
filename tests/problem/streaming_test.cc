// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/streaming.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/builder.h"
#include "problem/cost/op_features.h"

namespace berth {
namespace {

Device device_of(std::string_view model) { return make_device(*find_device_model(model), "it"); }

Device unknown_gpu() {
  Device device = plain_device("it", DeviceKind::kGpu);
  device.model = "my-card";
  return device;
}

OpFeatures product(double flops, double bytes, double rows, WeightBits bits = WeightBits::kFour) {
  OpFeatures features;
  features.cost_class = CostClass::kMatmul;
  features.flops = flops;
  features.bytes = bytes;
  features.rows = rows;
  features.streamed = {StreamedOp::kProduct, bits};
  return features;
}

TEST(Streaming, TypesSayWhatTheyRead) {
  for (const bool experts : {false, true}) {
    for (const WeightBits bits : {WeightBits::kHalf, WeightBits::kEight, WeightBits::kFour}) {
      const StreamedType type = streamed_type(type_of_product(experts, bits));
      EXPECT_EQ(type.op, experts ? StreamedOp::kExperts : StreamedOp::kProduct);
      EXPECT_EQ(type.bits, bits);
    }
  }
  EXPECT_EQ(streamed_type("cached_attention").op, StreamedOp::kAttention);
  EXPECT_EQ(streamed_type("matmul").op, StreamedOp::kNone);
  EXPECT_EQ(bits_of_weights(16.0), WeightBits::kHalf);
  EXPECT_EQ(bits_of_weights(8.5), WeightBits::kEight);
  EXPECT_EQ(bits_of_weights(6.56), WeightBits::kFour);
}

TEST(Streaming, DevicesFindTheirTables) {
  EXPECT_EQ(streaming_table(device_of("rtx3090")).name, "NVIDIA cards");
  EXPECT_EQ(streaming_table(device_of("h100")).name, "NVIDIA servers");
  EXPECT_EQ(streaming_table(device_of("gb10")).name, "NVIDIA, shared memory");
  EXPECT_EQ(streaming_table(device_of("m2-ultra-gpu")).name, "Apple");
  EXPECT_EQ(streaming_table(device_of("mi300x")).name, "AMD");
  EXPECT_EQ(streaming_table(unknown_gpu()).name, "Intel and others");
  EXPECT_EQ(streaming_table(device_of("ryzen-7950x")).name, "CPUs");
  for (const StreamingTable& table : streaming_tables()) {
    EXPECT_FALSE(table.source.empty()) << table.name;
    for (const StreamingRow& row : table.rows) {
      EXPECT_GT(row.matrix, 0.0) << table.name;
      EXPECT_LE(row.traffic, 1.0) << table.name;
    }
  }
}

// Cards for games sum in f32 at half the rate, those for offices do not; llama.cpp is no faster for it.
TEST(Streaming, MatrixPeaksAreCapped) {
  const Device office = device_of("rtx-pro-6000");
  EXPECT_EQ(matrix_peak(streaming_table(office), office), 2.0 * office.peak_flops(DType::kF32));
  const Device server = device_of("h100");
  EXPECT_EQ(matrix_peak(streaming_table(server), server), 4e14);
  const Device cpu = device_of("ryzen-7950x");
  EXPECT_EQ(matrix_peak(streaming_table(cpu), cpu), cpu.peak_flops(DType::kF32));
}

TEST(Streaming, OneTokenIsBoundByMemoryAndAPromptByArithmetic) {
  const Device card = device_of("rtx3090");
  const double bytes = 1e9, weights = bytes * 2.0;
  const OpCost token = estimate_streamed(product(2.0 * weights, bytes, 1), card);
  EXPECT_LT(token.compute_s, 0.2 * token.work_s);
  EXPECT_GT(token.work_s, bytes / card.bytes_per_s) << "nobody reads faster than the memory does";
  const OpCost prompt = estimate_streamed(product(512.0 * 2.0 * weights, bytes, 512), card);
  EXPECT_GT(prompt.compute_s, 0.8 * prompt.work_s);
}

TEST(Streaming, MoreTokensNeverTakeLess) {
  for (const std::string_view model :
       {"rtx3090", "h100", "gb10", "m3-max-gpu", "rx7900xtx", "arc-b580", "ryzen-7950x"}) {
    const Device device = device_of(model);
    double before = 0.0;
    for (int rows = 1; rows <= 4096; rows *= 2) {
      const double seconds = estimate_streamed(product(rows * 1e9, 1e9, rows), device).work_s;
      EXPECT_GE(seconds, before) << model << " at " << rows;
      before = seconds;
    }
  }
}

// What runs have shown of a device changes the part of the time that it is about.
TEST(Streaming, SharesOfRunsCount) {
  const Device cpu = device_of("ryzen-7950x");
  const OpFeatures token = product(2e9, 1e9, 1);
  const OpCost expected = estimate_streamed(token, cpu);
  const OpCost slow = estimate_streamed(token, cpu, {.arithmetic = 1.0, .memory = 0.5});
  const OpCost fast = estimate_streamed(token, cpu, {.arithmetic = 2.0, .memory = 1.0});
  EXPECT_DOUBLE_EQ(slow.compute_s, expected.compute_s);
  EXPECT_GT(slow.work_s, 1.5 * expected.work_s);
  EXPECT_DOUBLE_EQ(fast.compute_s, expected.compute_s / 2.0);
  EXPECT_NEAR(expected.work_s - fast.work_s, expected.compute_s / 2.0, 1e-12);
  EXPECT_DOUBLE_EQ(estimate_streamed(token, cpu, ServedShares{}).work_s, expected.work_s);
}

// 64 tokens for each of 32 experts take longer than 2,048 for one matrix of the same arithmetic.
TEST(Streaming, ExpertsMeetFewTokens) {
  const Device card = device_of("rtx3090");
  OpFeatures experts = product(1e12, 1e8, 64);
  experts.streamed.op = StreamedOp::kExperts;
  EXPECT_GT(estimate_streamed(experts, card).compute_s,
            1.3 * estimate_streamed(product(1e12, 1e8, 2048), card).compute_s);
}

TEST(Streaming, RowsOfExpertsFollowFromTheirWeights) {
  GraphBuilder builder("experts");
  const OpId x =
      builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF16, {512, 64}}}});
  const OpId weights = builder.add(
      {.name = "w", .type = "parameter", .role = Role::kParameter, .outputs = {{DType::kF8, {2 * 32 * 64 * 64}}}});
  // 512 tokens pick 4 of 32 experts each: 64 a piece.
  const OpId op = builder.add({.name = "up",
                               .type = type_of_product(true, WeightBits::kHalf),
                               .inputs = {{x, 0}, {weights, 0}},
                               .outputs = {{DType::kF16, {512, 256}}},
                               .flops = 2.0 * 512 * 4 * 64 * 64,
                               .bytes_touched = 2 * 32 * 64 * 64});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(features_of(graph, op).rows, 64.0);
}

}  // namespace
}  // namespace berth
