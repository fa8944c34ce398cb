// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/cost_model.h"

#include "graph/builder.h"

#include <gtest/gtest.h>

#include "machine/devices.h"
#include "problem/parts.h"

namespace berth {
namespace {

Device library_device(std::string_view model) { return make_device(*find_device_model(model), std::string(model)); }

// A matmul of 1 GFLOP and 100 MB.
const OpFeatures kBigMatmul{.cost_class = CostClass::kMatmul, .flops = 1e9, .bytes = 1e8};

TEST(CostModel, RowIsASumOfTimes) {
  const Device device = round_device(DeviceKind::kGpu);
  const Efficiency row{.cost_class = CostClass::kMatmul, .arithmetic = 0.5, .traffic = 0.25, .fixed_s = 10e-6};
  const OpCost cost = estimate_with(kBigMatmul, device, {1e12, Units::kPlain}, row);
  EXPECT_DOUBLE_EQ(cost.compute_s, 2e-3);              // 1 G / (1 T * 0.5)
  EXPECT_DOUBLE_EQ(cost.work_s, 2e-3 + 4e-3 + 10e-6);  // + 100 MB / (100 GB/s * 0.25) + 10 us
  EXPECT_FALSE(cost.measured);
}

TEST(CostModel, NarrowConvolutionsAreSlower) {
  const Device device = round_device(DeviceKind::kGpu);
  const Efficiency row{.cost_class = CostClass::kConvWindowed, .arithmetic = 0.5, .traffic = 1.0, .narrow = 64.0};
  OpFeatures conv{.cost_class = CostClass::kConvWindowed, .flops = 1e9, .channels = 64.0};
  EXPECT_DOUBLE_EQ(estimate_with(conv, device, {1e12, Units::kPlain}, row).compute_s, 4e-3);  // half its share
  conv.channels = 128.0;
  EXPECT_DOUBLE_EQ(estimate_with(conv, device, {1e12, Units::kPlain}, row).compute_s, 3e-3);
}

TEST(CostModel, SlicesRowsAndSpillAddTime) {
  const Device device = round_device(DeviceKind::kCpu);
  Efficiency row{.cost_class = CostClass::kBatchNorm, .traffic = 1.0, .slice_bytes_per_s = 1e9, .row_s = 1e-9};
  OpFeatures norm{.cost_class = CostClass::kBatchNorm, .bytes = 1e8, .slices = 10.0, .rows = 1000.0};
  EXPECT_DOUBLE_EQ(estimate_with(norm, device, {1e12, Units::kPlain}, row).work_s, 1e-3 + 10e-3 + 1e-6);
  row = {.cost_class = CostClass::kBatchNorm, .traffic = 1.0, .spill = 2.0};
  norm.bytes = kCacheBytes;
  EXPECT_DOUBLE_EQ(estimate_with(norm, device, {1e12, Units::kPlain}, row).work_s, 2.0 * kCacheBytes / 100e9);
}

TEST(CostModel, SameThingAsARoofWithEfficiencies) {
  // work = flops / (peak * e_a) = bytes / (bandwidth * e_b) with e_a = arithmetic / (1 + I0/I + F0/F).
  const Device device = round_device(DeviceKind::kGpu);
  const Efficiency row{.cost_class = CostClass::kMatmul, .arithmetic = 0.5, .traffic = 0.25, .fixed_s = 10e-6};
  const double intensity = kBigMatmul.flops / kBigMatmul.bytes;
  const double balance = 1e12 * row.arithmetic / (100e9 * row.traffic), ramp = 1e12 * row.arithmetic * row.fixed_s;
  const double efficiency_a = row.arithmetic / (1.0 + balance / intensity + ramp / kBigMatmul.flops);
  EXPECT_DOUBLE_EQ(estimate_with(kBigMatmul, device, {1e12, Units::kPlain}, row).work_s,
                   kBigMatmul.flops / (1e12 * efficiency_a));
}

TEST(CostModel, ProductsChooseTheirUnits) {
  const OpFeatures conv{.cost_class = CostClass::kConvWindowed}, matmul{.cost_class = CostClass::kMatmul};
  const OpFeatures half{.cost_class = CostClass::kMatmul, .dtype = DType::kBF16};
  const Device h200 = library_device("h200"), k40 = library_device("k40"), xeon = library_device("xeon-16c");
  EXPECT_EQ(product_rate(conv, h200).flops_per_s, 494e12) << "tf32 is on for convolutions";
  EXPECT_EQ(product_rate(conv, h200).units, Units::kTensor);
  EXPECT_EQ(product_rate(matmul, h200).flops_per_s, 67e12) << "and off for matrix products";
  EXPECT_EQ(product_rate(matmul, h200).units, Units::kPlain);
  EXPECT_EQ(product_rate(half, h200).units, Units::kTensor);
  EXPECT_EQ(product_rate(conv, k40).flops_per_s, 4.29e12);
  EXPECT_EQ(product_rate(conv, k40).units, Units::kPlain);
  EXPECT_EQ(product_rate(half, k40).units, Units::kPlain);
  EXPECT_EQ(product_rate(conv, xeon).units, Units::kPlain);
}

TEST(CostModel, LargeProductsApproachTheFittedShareOfThePeak) {
  const OpFeatures huge{.cost_class = CostClass::kMatmul, .flops = 1e15, .bytes = 1e10};
  for (const char* model : {"k40", "v100", "a100", "h200"}) {
    const Device device = library_device(model);
    const double share = efficiency(DeviceKind::kGpu, CostClass::kMatmul, Units::kPlain).arithmetic;
    EXPECT_NEAR(huge.flops / estimate(huge, device).work_s / device.peak_flops(DType::kF32), share, 0.05) << model;
  }
}

TEST(CostModel, OnlyComputeOpsCost) {
  GraphBuilder builder("roles");
  const OpId x = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {1000}}}});
  const OpId w = builder.add({.name = "w", .type = "p", .role = Role::kParameter, .outputs = {{DType::kF32, {1000}}}});
  const OpId v = builder.add(
      {.name = "v", .type = "transpose", .role = Role::kView, .inputs = {{x, 0}}, .outputs = {{DType::kF32, {1000}}}});
  const OpId a =
      builder.add({.name = "a", .type = "add", .inputs = {{v, 0}, {w, 0}}, .outputs = {{DType::kF32, {1000}}}});
  const OpId r =
      builder.add({.name = "r", .type = "_unsafe_view", .inputs = {{a, 0}}, .outputs = {{DType::kF32, {1000}}}});
  const auto graph = std::move(builder).build();
  ASSERT_TRUE(graph) << graph.error().message;
  const Device device = round_device(DeviceKind::kGpu);
  for (const OpId op : {x, w, v, r}) EXPECT_EQ(op_time_s(price(*graph, op, device), device), 0.0) << graph->name(op);
  EXPECT_GT(price(*graph, a, device).work_s, 0.0);
  EXPECT_EQ(price(*graph, a, device).compute_s, 0.0) << "no flops";
}

TEST(CostModel, MeasuredTimeOfTheModelWins) {
  const OneOpGraph one = one_op({"matmul", {{1000, 1000}, {1000, 1000}}, {{1000, 1000}}, 2e9}, 42e-6);
  const OpCost measured = price(one.graph, one.op, library_device("h200"));
  EXPECT_TRUE(measured.measured);
  EXPECT_FLOAT_EQ(static_cast<float>(measured.work_s), 42e-6F);
  EXPECT_LE(measured.compute_s, measured.work_s);
  EXPECT_GT(measured.compute_s, 0.0);
  const OpCost other = price(one.graph, one.op, library_device("a100"));
  EXPECT_FALSE(other.measured);
  EXPECT_GT(other.work_s, measured.work_s);
}

TEST(CostModel, ComputePartNeverExceedsAMeasuredTime) {
  const OneOpGraph one = one_op({"matmul", {{1000, 1000}, {1000, 1000}}, {{1000, 1000}}, 2e9}, 1e-6);
  const OpCost cost = price(one.graph, one.op, library_device("h200"));
  EXPECT_EQ(cost.compute_s, cost.work_s);
}

TEST(CostModel, LaunchRules) {
  const Device gpu = round_device(DeviceKind::kGpu), cpu = round_device(DeviceKind::kCpu);  // launch 5 us
  const auto time = [](double work_s, bool measured, const Device& device) {
    return op_time_s({.work_s = work_s, .compute_s = 0.0, .measured = measured}, device);
  };
  EXPECT_EQ(time(2e-6, false, gpu), 5e-6) << "the launch hides the work";
  EXPECT_EQ(time(9e-6, false, gpu), 9e-6) << "the work hides the launch";
  EXPECT_EQ(time(2e-6, true, gpu), 5e-6);
  EXPECT_DOUBLE_EQ(time(2e-6, false, cpu), 7e-6);
  EXPECT_EQ(time(2e-6, true, cpu), 2e-6) << "a measured CPU time contains its launch";
  EXPECT_EQ(time(0.0, false, gpu), 0.0) << "no kernel, no launch";
}

// Features of a middling op of any class, scaled.
OpFeatures scaled(CostClass cost_class, double flops, double bytes) {
  return {
      .cost_class = cost_class, .flops = 1e6 * flops, .bytes = 1e4 * bytes, .channels = 64, .slices = 64, .rows = 256};
}

TEST(CostModel, TimeGrowsWithFlopsAndBytesWithoutCliffs) {
  for (const char* model : {"k40", "h200", "haswell-18c", "xeon-16c"}) {
    const DeviceModel* found = find_device_model(model);
    if (found == nullptr) continue;
    const Device device = make_device(*found, model);
    for (int i = 0; i < static_cast<int>(CostClass::kNothing); ++i) {
      const auto cost_class = static_cast<CostClass>(i);
      const double most = 2.0 * (1.0 + efficiency(device.kind, cost_class, Units::kPlain).spill / 2.0) + 1e-9;
      for (double size = 1.0; size < 1e7; size *= 2.0) {
        const double here = estimate(scaled(cost_class, size, size), device).work_s;
        EXPECT_GE(estimate(scaled(cost_class, 2.0 * size, size), device).work_s, here) << name_of(cost_class);
        EXPECT_GT(estimate(scaled(cost_class, size, 2.0 * size), device).work_s, here) << name_of(cost_class);
        const double doubled = estimate(scaled(cost_class, 2.0 * size, 2.0 * size), device).work_s;
        EXPECT_LE(doubled, most * here) << name_of(cost_class) << " on " << model << " at " << size;
      }
    }
  }
}

TEST(CostModel, StreamingStaysBelowThePeakBandwidth) {
  for (const DeviceModel& model : device_models()) {
    const Device device = make_device(model, std::string(model.name));
    EXPECT_GT(streaming_bytes_per_s(device), 0.3 * device.bytes_per_s) << model.name;
    EXPECT_LT(streaming_bytes_per_s(device), device.bytes_per_s) << model.name;
  }
}

TEST(Efficiency, EveryClassHasARowOnEveryKind) {
  for (int kind = 0; kind < kDeviceKinds; ++kind) {
    for (int i = 0; i < kCostClasses; ++i) {
      for (const Units units : {Units::kPlain, Units::kTensor}) {
        const auto cost_class = static_cast<CostClass>(i);
        const Efficiency& row = efficiency(static_cast<DeviceKind>(kind), cost_class, units);
        EXPECT_EQ(row.cost_class, cost_class);
        EXPECT_LE(row.arithmetic, 1.0);
        EXPECT_TRUE(cost_class == CostClass::kNothing || row.traffic > 0.0) << name_of(cost_class);
      }
    }
  }
  for (const EfficiencyTable& table : efficiency_tables()) EXPECT_FALSE(table.origin.empty());
}

TEST(CostModel, NpusRunNeitherGradientsNorUpdates) {
  GraphBuilder builder("training");
  const TensorSpec scalar{DType::kF32, {}};
  const OpId weight = builder.add({.name = "w", .type = "parameter", .role = Role::kParameter, .outputs = {scalar}});
  const OpId forward = builder.add({.name = "f", .type = "relu", .inputs = {{weight, 0}}, .outputs = {scalar}});
  const OpId gradient = builder.add(
      {.name = "g", .type = "relu_grad", .inputs = {{forward, 0}}, .outputs = {scalar}, .forward_of = forward});
  const OpId update = builder.add({.name = "u", .type = "sgd_update", .inputs = {{gradient, 0}}, .updates = weight});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(runnable_kinds(graph, forward), kAnyKind);
  EXPECT_EQ(runnable_kinds(graph, gradient), kAnyKind & ~kind_bit(DeviceKind::kNpu));
  EXPECT_EQ(runnable_kinds(graph, update), kAnyKind & ~kind_bit(DeviceKind::kNpu));
}

}  // namespace
}  // namespace berth
