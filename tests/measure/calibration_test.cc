// SPDX-License-Identifier: Apache-2.0
#include "measure/calibration.h"

#include <gtest/gtest.h>

#include "import/costs/csv_costs.h"
#include "problem/cost/measured_costs.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// All ops on one device, each as long as said, and the step longer by `extra_s`.
CalibrationRun run_alone(const Problem& problem, const Plan& plan, const std::vector<double>& seconds, double extra_s) {
  CalibrationRun run{plan, {}};
  double now_s = 0.0;
  for (const OpId op : problem.graph().ops()) {
    run.sample.ops.push_back({op, now_s, now_s + seconds[index(op)]});
    run.sample.op_s.push_back(seconds[index(op)]);
    now_s += seconds[index(op)];
  }
  run.sample.steps_s = {now_s + extra_s};
  run.sample.peak = run.sample.tensor_peak = {0, 0};
  return run;
}

TEST(Calibration, SharesWhatTheStepTookBeyondItsOps) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const Calibration fits = calibrate(problem, {run_alone(problem, toy_plan(problem, "a@0 b@0"), {2e-5, 3e-5}, 1e-5)});
  EXPECT_DOUBLE_EQ(fits.overhead_s[0], 0.5e-5);
  EXPECT_DOUBLE_EQ(fits.seconds[0][0], 2.5e-5);
  EXPECT_DOUBLE_EQ(fits.seconds[0][1], 3.5e-5);
  EXPECT_LT(fits.seconds[1][0], 0.0) << "nothing ran there";
}

TEST(Calibration, TakesMoreThanAnyOverheadForASlowStep) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const Calibration fits = calibrate(problem, {run_alone(problem, toy_plan(problem, "a@0 b@0"), {0.1, 0.9}, 1.0)});
  EXPECT_DOUBLE_EQ(fits.overhead_s[0], 50e-6);
  EXPECT_NEAR(fits.seconds[0][0], 0.2, 1e-4);
  EXPECT_NEAR(fits.seconds[0][1], 1.8, 1e-4);
}

TEST(Calibration, ScalesOpsThatTookMoreThanTheStep) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const Calibration fits = calibrate(problem, {run_alone(problem, toy_plan(problem, "a@0 b@0"), {2.0, 3.0}, -2.5)});
  EXPECT_DOUBLE_EQ(fits.seconds[0][0], 1.0);
  EXPECT_DOUBLE_EQ(fits.seconds[0][1], 1.5);
}

TEST(Calibration, TakesTheRunThatWasDisturbedLeast) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const CalibrationRun alone = run_alone(problem, toy_plan(problem, "a@0 b@0"), {4.0, 6.0}, 0.0);
  const Plan cut = toy_plan(problem, "a@0 b@1");
  const Calibration usual = calibrate(problem, {alone, run_alone(problem, cut, {3.8, 5.0}, 0.0)});
  EXPECT_DOUBLE_EQ(usual.seconds[0][0], 4.0);
  const Calibration disturbed = calibrate(problem, {alone, run_alone(problem, cut, {2.0, 5.0}, 0.0)});
  EXPECT_DOUBLE_EQ(disturbed.seconds[0][0], 2.0);
  EXPECT_DOUBLE_EQ(disturbed.seconds[0][1], 6.0) << "seen only once";
  EXPECT_DOUBLE_EQ(disturbed.seconds[1][1], 5.0);
}

TEST(Calibration, MakesThePredictionOfARunWhatItTook) {
  const Problem problem = toy_problem("a:1 -> b:1; a -> c:1", "2 devices");
  const Plan plan = toy_plan(problem, "a@0 b@0 c@0");
  const CalibrationRun run = run_alone(problem, plan, {2.0, 3.0, 4.0}, 0.3);
  const Calibration fits = calibrate(problem, {run});
  const Problem after = calibrated_problem(problem, fits).value();
  EXPECT_NEAR(to_seconds(simulate(after, plan).step_time), run.sample.median_s(), 1e-9);
}

TEST(Calibration, FitsLatencyAndBandwidthOfALink) {
  const Problem problem = toy_problem("a:1:8B -> b:1", "2 devices");
  CalibrationRun run = run_alone(problem, toy_plan(problem, "a@0 b@1"), {1.0, 1.0}, 0.0);
  for (const Bytes bytes : {100, 200, 400, 1000, 2000, 4000, 8000, 16000}) {
    const double seconds = 0.5 + static_cast<double>(bytes) / 1000.0;
    run.sample.transfers.push_back({TensorId{0}, DeviceId{0}, DeviceId{1}, 0.0, seconds, bytes});
  }
  const Calibration fits = calibrate(problem, {run});
  ASSERT_EQ(fits.links.size(), 1U);
  EXPECT_NEAR(fits.links[0].bytes_per_s, 1000.0, 20.0);
  EXPECT_NEAR(fits.links[0].latency_s, 0.5, 0.05);
}

// Four handovers on the way, each of 50 us beyond the copies, which take 1 us and a bandwidth that does not matter.
TEST(Calibration, FindsWhatAHandoverTakes) {
  const Problem problem = toy_problem("a:1:8B -> b:1:8B -> c:1:8B -> d:1:8B -> e:1", "2 devices");
  const double op_s = 1e-3, handover_s = 50e-6, copy_s = 1e-6;
  const std::vector<double> times(5, op_s);
  CalibrationRun crossing{toy_plan(problem, "a@0 b@1 c@0 d@1 e@0"), {}};
  crossing.sample.steps_s = {5 * op_s + 4 * (handover_s + copy_s)};
  for (const bool there : {true, false}) {
    for (const Bytes bytes : {8, 8, 8, 8, 1000, 1000, 1000, 1000}) {
      crossing.sample.transfers.push_back({TensorId{0}, there ? DeviceId{0} : DeviceId{1},
                                           there ? DeviceId{1} : DeviceId{0}, 0.0,
                                           copy_s + static_cast<double>(bytes) * 1e-12, bytes});
    }
  }
  const Calibration fits =
      calibrate(problem, {run_alone(problem, toy_plan(problem, "a@0 b@0 c@0 d@0 e@0"), times, 0.0),
                          run_alone(problem, toy_plan(problem, "a@1 b@1 c@1 d@1 e@1"), times, 0.0), crossing});
  EXPECT_NEAR(fits.handover_s, handover_s, 0.1 * handover_s);
  ASSERT_EQ(fits.links.size(), 2U);
  EXPECT_NEAR(fits.links[0].latency_s, copy_s + fits.handover_s, 1e-7);
}

// An input on device 0 that takes a second to arrive on device 1, where the op takes two.
TEST(Calibration, DoesNotCountWhatLinksTakeAsPartOfOps) {
  const Problem problem = toy_problem("x:input:1000B -> a:1", "2 devices");
  const Plan plan = toy_plan(problem, "x@0 a@1");
  CalibrationRun run{plan, {}};
  run.sample.ops = {{OpId{1}, 1.0, 3.0}};
  run.sample.op_s = {2.0};
  run.sample.steps_s = {3.0};
  run.sample.peak = run.sample.tensor_peak = {0, 0};
  for (int i = 0; i < 4; ++i) {
    run.sample.transfers.push_back({TensorId{0}, DeviceId{0}, DeviceId{1}, 0.0, 1.0, 1000});
    run.sample.transfers.push_back({TensorId{0}, DeviceId{1}, DeviceId{0}, 0.0, 1.0, 1000});
  }
  const Calibration fits = calibrate(problem, {run});
  EXPECT_NEAR(fits.seconds[1][1], 2.0, 1e-6);
}

TEST(Calibration, WritesATableThatCostsReads) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const Calibration fits = calibrate(problem, {run_alone(problem, toy_plan(problem, "a@0 b@0"), {2.0, 3.0}, 0.0)});
  const std::vector<Measurement> times = read_csv_costs(write_costs_csv(problem, fits)).value();
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].ops.front(), "b");
  EXPECT_EQ(times[1].device, "0");
  EXPECT_DOUBLE_EQ(times[1].seconds, 3.0);
}

TEST(Calibration, LooksForHandoversOnTheFasterDeviceAlone) {
  const Problem problem = toy_problem("a:20/1 -> b:20/1 -> c:20/1 -> d:20/1", "2 devices");
  const std::vector<Plan> plans = calibration_plans(problem);
  ASSERT_EQ(plans.size(), 5U);
  EXPECT_EQ(plans[4].device_of, toy_plan(problem, "a@0 b@1 c@1 d@1").device_of);
}

TEST(Calibration, TriesEveryDeviceAndEveryCut) {
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1 -> d:1", "2 devices");
  const std::vector<Plan> plans = calibration_plans(problem);
  ASSERT_EQ(plans.size(), 6U);
  EXPECT_EQ(plans[2].device_of, toy_plan(problem, "a@0 b@0 c@1 d@1").device_of);
  EXPECT_EQ(plans[3].device_of, toy_plan(problem, "a@1 b@1 c@0 d@0").device_of);
  EXPECT_EQ(plans[4].device_of, toy_plan(problem, "a@1 b@0 c@0 d@0").device_of);
  EXPECT_EQ(plans[5].device_of, toy_plan(problem, "a@0 b@1 c@1 d@1").device_of);
  for (const Plan& plan : plans) EXPECT_EQ(verify(problem, plan), std::nullopt);
}

}  // namespace
}  // namespace berth
