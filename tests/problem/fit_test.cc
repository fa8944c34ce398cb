// SPDX-License-Identifier: Apache-2.0
// The fit itself, on made-up measurements whose truth is known.
#include "fit_costs/fit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "fit_costs/errors.h"
#include "problem/cost/cost_model.h"
#include "problem/parts.h"

namespace berth::fit {
namespace {

const Efficiency kTruth{.cost_class = CostClass::kMatmul, .arithmetic = 0.8, .traffic = 0.5, .fixed_s = 20e-6};

// Products of many sizes and shapes as a device that follows kTruth would time them, `slowdown` times as long.
std::vector<Sample> made_up(const Device& device, std::size_t graph, double slowdown) {
  std::vector<Sample> samples;
  for (double flops = 1e6; flops < 1e12; flops *= 4.0) {
    for (const double intensity : {2.0, 10.0, 100.0}) {
      Sample sample;
      sample.features = {.cost_class = CostClass::kMatmul, .flops = flops, .bytes = flops / intensity};
      const OpCost cost = estimate_with(sample.features, device, product_rate(sample.features, device), kTruth);
      sample.seconds = slowdown * (cost.work_s + (device.async ? 0.0 : device.launch_s));
      sample.graph = graph;
      sample.twin = fmt::format("{} {}", flops, intensity);
      samples.push_back(sample);
    }
  }
  return samples;
}

TEST(Fit, FindsTheRowThatMadeTheTimes) {
  const Device device = round_device(DeviceKind::kGpu);
  const FittedTable table = fit_table(made_up(device, 0, 1.0), 1, device, {});
  const Efficiency& row = table.rows[static_cast<std::size_t>(CostClass::kMatmul)];
  EXPECT_EQ(row.origin, Origin::kFitted);
  EXPECT_NEAR(row.arithmetic, kTruth.arithmetic, 0.05 * kTruth.arithmetic);
  EXPECT_NEAR(row.traffic, kTruth.traffic, 0.05 * kTruth.traffic);
  EXPECT_NEAR(row.fixed_s, kTruth.fixed_s, 0.05 * kTruth.fixed_s);
}

TEST(Fit, OneWildMeasurementDoesNotMoveIt) {
  const Device device = round_device(DeviceKind::kGpu);
  std::vector<Sample> samples = made_up(device, 0, 1.0);
  samples[5].seconds *= 100.0;
  const FittedTable table = fit_table(samples, 1, device, {});
  EXPECT_NEAR(predict(table, samples[20], device) / samples[20].seconds, 1.0, 0.05);
}

TEST(Fit, SeparatesTheFactorsOfGraphs) {
  const Device device = round_device(DeviceKind::kCpu);
  std::vector<Sample> samples;
  for (const double slowdown : {1.0, 1.0, 3.0}) {
    const std::size_t graph = samples.empty() ? 0 : samples.back().graph + 1;
    for (const Sample& sample : made_up(device, graph, slowdown)) samples.push_back(sample);
  }
  const FittedTable table = fit_table(samples, 3, device, {.factor_per_graph = true});
  EXPECT_NEAR(table.factors[0], 1.0, 0.05);
  EXPECT_NEAR(table.factors[2], 3.0, 0.15);
  EXPECT_NEAR(predict(table, samples[10], device) / samples[10].seconds, 1.0, 0.05);
}

TEST(Fit, ClassesWithoutSamplesAreAssumed) {
  const Device device = round_device(DeviceKind::kGpu);
  const FittedTable table = fit_table(made_up(device, 0, 1.0), 1, device, {});
  ASSERT_EQ(table.rows.size(), static_cast<std::size_t>(kCostClasses));
  const Efficiency& attention = table.rows[static_cast<std::size_t>(CostClass::kAttention)];
  EXPECT_EQ(attention.origin, Origin::kAssumed);
  EXPECT_EQ(attention.arithmetic, table.rows[static_cast<std::size_t>(CostClass::kMatmul)].arithmetic);
  EXPECT_EQ(table.rows[static_cast<std::size_t>(CostClass::kNothing)].fixed_s, 0.0);
}

TEST(Samples, TwinsOfHeldOutOpsAreDroppedToo) {
  SampleSet set{.graphs = {"a", "b"}, .samples = {}};
  for (const auto& [graph, twin] : {std::pair(0, "x"), std::pair(0, "y"), std::pair(1, "y"), std::pair(1, "z")}) {
    set.samples.push_back({.features = {}, .seconds = 1.0, .graph = static_cast<std::size_t>(graph), .twin = twin});
  }
  const auto twins_left = [&](Twins twins) {
    std::string text;
    for (const Sample& sample : training_samples(set, std::array<std::size_t, 1>{1}, twins)) text += sample.twin;
    return text;
  };
  EXPECT_EQ(twins_left(Twins::kDrop), "x");
  EXPECT_EQ(twins_left(Twins::kKeep), "xy");
}

TEST(Errors, MediansAndSums) {
  Errors errors;
  errors.add(10e-6, 20e-6);    // small: 100 % off
  errors.add(100e-6, 110e-6);  // 10 %
  errors.add(200e-6, 150e-6);  // 25 %
  EXPECT_EQ(errors.ops(), 3U);
  EXPECT_EQ(errors.big_ops(), 2U);
  EXPECT_NEAR(errors.median(), 0.25, 1e-12);
  EXPECT_NEAR(errors.big_median(), 0.25, 1e-12);  // the upper of two
  EXPECT_NEAR(errors.sum_error(), 280.0 / 310.0 - 1.0, 1e-12);
}

}  // namespace
}  // namespace berth::fit
