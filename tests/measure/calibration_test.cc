// SPDX-License-Identifier: Apache-2.0
#include "measure/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/builder.h"
#include "import/costs/costs_file.h"
#include "measure/handover.h"
#include "measure/op_times.h"
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

// Ops of a run as they were placed, each as long as said; 0 s: not among those that ran.
CalibrationRun run_of(const Problem& problem, const Plan& plan, const std::vector<double>& seconds, double step_s) {
  CalibrationRun run{plan, {}};
  for (const OpId op : problem.graph().ops()) {
    if (seconds[index(op)] <= 0.0) continue;
    run.sample.ops.push_back({op, 0.0, seconds[index(op)]});
    run.sample.op_s.push_back(seconds[index(op)]);
  }
  run.sample.steps_s = {step_s};
  run.sample.peak = run.sample.tensor_peak = {0, 0};
  return run;
}

// On the first device ops of one class took 2, 3 and 5 times what was said; so d, which was not there, takes 3 times
// that. On the second d alone took 4 times as long, and so would the others.
TEST(Calibration, GivesOpsThatWereNotRunTheFactorOfTheirClass) {
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1 -> d:2", "2 devices");
  const Calibration fits =
      calibrate(problem, {run_of(problem, toy_plan(problem, "a@0 b@0 c@0 d@1"), {2.0, 3.0, 5.0, 8.0}, 18.0)});
  ASSERT_EQ(fits.classes.size(), 2U);
  EXPECT_EQ(index(fits.classes[0].device), 0U);
  EXPECT_EQ(fits.classes[0].ops, 3U);
  EXPECT_DOUBLE_EQ(fits.classes[0].factor, 3.0);
  EXPECT_DOUBLE_EQ(fits.classes[0].error_before, 1.0 - 1.0 / 3.0);  // 1/2, 2/3, 4/5
  EXPECT_DOUBLE_EQ(fits.classes[0].error_after, 0.4);               // 1/2, 0, 2/5
  EXPECT_DOUBLE_EQ(fits.seconds[0][3], 6.0);
  EXPECT_EQ(index(fits.classes[1].device), 1U);
  EXPECT_EQ(fits.classes[1].ops, 1U);
  EXPECT_DOUBLE_EQ(fits.classes[1].factor, 4.0);
  EXPECT_DOUBLE_EQ(fits.seconds[1][0], 4.0);
  EXPECT_DOUBLE_EQ(fits.seconds[1][3], 8.0) << "what was measured stays";
}

// b may not be on the first device, and a class without a run has no factor.
TEST(Calibration, SaysNothingAboutWhatItHasNotSeen) {
  const Problem problem = toy_problem("x:input:1B -> a:1 -> b:-/1 -> c:1", "2 devices");
  const Calibration fits = calibrate(problem, {run_of(problem, toy_plan(problem, "a@0 b@1 c@0"), {0, 2.0, 0, 0}, 2.0)});
  EXPECT_LT(fits.seconds[0][0], 0.0) << "an input takes no time";
  EXPECT_DOUBLE_EQ(fits.seconds[0][1], 2.0);
  EXPECT_LT(fits.seconds[0][2], 0.0);
  EXPECT_DOUBLE_EQ(fits.seconds[0][3], 2.0);
  for (std::size_t op = 0; op < 4; ++op) EXPECT_LT(fits.seconds[1][op], 0.0) << op;
}

// Times of ops are those of a step of 4 s in which each was timed; usually a step takes 2 s. So a took 3 s, less than
// 80 % of the 4 s of its run alone.
TEST(Calibration, ScalesTimesToTheUsualStep) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const CalibrationRun alone = run_alone(problem, toy_plan(problem, "a@0 b@0"), {4.0, 6.0}, 0.0);
  CalibrationRun cut = run_of(problem, toy_plan(problem, "a@0 b@1"), {6.0, 5.0}, 2.0);
  cut.sample.profiled_step_s = 4.0;
  Calibration fits;
  fits.seconds.assign(2, std::vector<double>(2, -1.0));
  fits.overhead_s.assign(2, 0.0);
  take_times(problem, {alone, cut}, fits);
  EXPECT_DOUBLE_EQ(fits.seconds[0][0], 3.0);
  EXPECT_DOUBLE_EQ(fits.seconds[0][1], 6.0);
}

// A GPU belongs to one program: the run alone is the better one, whatever another says.
TEST(Calibration, BelievesTheRunAloneOfAGpu) {
  const Problem problem = toy_problem("a:1 -> b:1", "device g; device h; link g h");
  const CalibrationRun alone = run_alone(problem, toy_plan(problem, "a@g b@g"), {4.0, 6.0}, 0.0);
  for (const bool is_first : {true, false}) {
    const CalibrationRun cut = run_of(problem, toy_plan(problem, "a@g b@h"), {1.0, 5.0}, 6.0);
    const Calibration fits = calibrate(problem, is_first ? std::vector{alone, cut} : std::vector{cut, alone});
    EXPECT_DOUBLE_EQ(fits.seconds[0][0], 4.0) << is_first;
    EXPECT_DOUBLE_EQ(fits.seconds[1][1], 5.0) << is_first;
  }
}

CalibrationRun with_transfers(const Problem& problem, DeviceId from, DeviceId to,
                              const std::vector<std::pair<Bytes, double>>& transfers) {
  CalibrationRun run =
      run_of(problem, all_on(problem, DeviceId{0}), std::vector<double>(problem.graph().num_ops(), 1.0),
             static_cast<double>(problem.graph().num_ops()));
  for (const auto& [bytes, seconds] : transfers) {
    run.sample.transfers.push_back({TensorId{0}, from, to, 1.0, 1.0 + seconds, bytes});
  }
  return run;
}

// Three transfers are too few; four of one size say how fast they were and nothing about latency; times that do not
// grow with the size say the same.
TEST(Calibration, TakesOfTransfersWhatTheySay) {
  const Problem problem = toy_problem("a:1:8B -> b:1", "2 devices");
  const auto links = [&](const std::vector<std::pair<Bytes, double>>& transfers) {
    return calibrate(problem, {with_transfers(problem, DeviceId{0}, DeviceId{1}, transfers)}).links;
  };
  EXPECT_TRUE(links({{1000, 2.0}, {1000, 2.0}, {1000, 2.0}}).empty());
  const auto equal = links({{1000, 2.0}, {1000, 2.0}, {1000, 2.0}, {1000, 2.0}});
  ASSERT_EQ(equal.size(), 1U);
  EXPECT_EQ(equal[0].transfers, 4U);
  EXPECT_DOUBLE_EQ(equal[0].bytes_per_s, 500.0);
  EXPECT_DOUBLE_EQ(equal[0].latency_s, 0.0);
  const auto falling = links({{4000, 2.0}, {1000, 3.0}, {2000, 3.0}, {3000, 3.0}});
  EXPECT_DOUBLE_EQ(falling[0].bytes_per_s, 2000.0);
  EXPECT_DOUBLE_EQ(falling[0].latency_s, 2.5) << "3 s less the half second of 1000 B";
}

Calibration with_links(const Problem& problem, std::vector<LinkFit> links) {
  Calibration calibration;
  calibration.seconds.assign(problem.machine().num_devices(), std::vector<double>(problem.graph().num_ops(), -1.0));
  calibration.links = std::move(links);
  return calibration;
}

std::string links_text(const Machine& machine) {
  std::string text;
  for (const Channel& channel : machine.channels()) {
    text += fmt::format("{} {:g}B/s {:g}s | ", channel.name, channel.bytes_per_s, channel.latency_s);
  }
  return text;
}

TEST(Calibration, PutsFittedLinksIntoTheMachine) {
  const LinkFit there{DeviceId{0}, DeviceId{1}, 4, 0.5, 10.0}, back{DeviceId{1}, DeviceId{0}, 4, 0.25, 20.0};
  const auto machine_text = [&](const char* machine, std::vector<LinkFit> links) {
    const Problem problem = toy_problem("a:1", machine);
    return links_text(calibrated_machine(problem, with_links(problem, std::move(links))).value());
  };
  const char* full = "device 0; device 1; link 0 1 rate=1 latency=9";
  EXPECT_EQ(machine_text(full, {there, back}), "0>1 10B/s 0.5s | 1>0 20B/s 0.25s | ");
  EXPECT_EQ(machine_text(full, {there}), "0>1 1B/s 9s | 1>0 1B/s 9s | ") << "one way is not enough for both";
  EXPECT_EQ(machine_text("device 0; device 1; link 0 1 rate=1 latency=9 half", {there, back}),
            "0>1 1B/s 9s | 1>0 1B/s 9s | ")
      << "one queue cannot be two";
  EXPECT_EQ(machine_text("device 0; device 1; link 0 1 rate=1 oneway; link 1 0 rate=1 latency=9 oneway", {there}),
            "0>1 10B/s 0.5s | 1>0 1B/s 9s | ");
}

// Costs contain the launch: a machine with a longer one would add to them.
TEST(Calibration, LaunchesAreBelowEveryMeasuredOp) {
  const Problem problem = toy_problem("a:1 -> b:1", "device 0 launch=3; device 1 launch=3; link 0 1");
  Calibration calibration = with_links(problem, {});
  calibration.seconds[0] = {2.0, 0.5};
  calibration.seconds[1] = {-1.0, 4.0};
  calibration.accuracy = Accuracy{0.5, 2.0};
  const Machine machine = calibrated_machine(problem, calibration).value();
  EXPECT_DOUBLE_EQ(machine.device(DeviceId{0}).launch_s, 0.5);
  EXPECT_DOUBLE_EQ(machine.device(DeviceId{1}).launch_s, 3.0);
  EXPECT_EQ(machine.accuracy(), (Accuracy{0.5, 2.0}));
}

// Only runs over several devices say how good predictions are, and this one says: three times too early.
TEST(Calibration, KnowsHowGoodItsPredictionsAre) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  const CalibrationRun alone = run_alone(problem, toy_plan(problem, "a@0 b@0"), {1.0, 1.0}, 0.0);
  const CalibrationRun other = run_alone(problem, toy_plan(problem, "a@1 b@1"), {1.0, 1.0}, 0.0);
  const Accuracy usual = calibrate(problem, {alone, other}).accuracy.value();
  std::vector<CalibrationRun> runs{alone, other};
  for (int i = 0; i < 3; ++i) runs.push_back(run_of(problem, toy_plan(problem, "a@0 b@1"), {1.0, 1.0}, 6.0));
  const Accuracy late = calibrate(problem, runs).accuracy.value();
  EXPECT_LT(usual.high, 1.2);
  EXPECT_DOUBLE_EQ(late.high, 3.0);
}

TEST(Calibration, WritesNamesWithCommasAndQuotesSoThatTheyReadBack) {
  GraphBuilder builder("g");
  builder.add({.name = "a,\"b\"", .type = "Relu", .outputs = {{DType::kF32, {4}}}});
  const Problem problem =
      make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), toy_machine("2 devices")).value();
  Calibration calibration = with_links(problem, {});
  calibration.seconds[1][0] = 2e-6;
  const std::string text = write_costs_csv(problem, calibration);
  EXPECT_EQ(text, "op,device,microseconds\n\"a,\"\"b\"\"\",1,2.0000\n");
  EXPECT_EQ(read_csv_costs(text).value().at(0).ops.front(), "a,\"b\"");
}

TEST(Calibration, KnowsWhereAPlanWorks) {
  const Problem problem = toy_problem("w:param:4B -> a:1; x:input:4B -> v:view:4B -> a -> b:-/1", "2 devices");
  const Graph& graph = problem.graph();
  EXPECT_EQ(only_device(graph, toy_plan(problem, "w@0 x@0 v@0 a@1 b@1")), DeviceId{1}) << "by compute ops alone";
  EXPECT_EQ(only_device(graph, toy_plan(problem, "w@1 x@1 v@1 a@0 b@1")), std::nullopt);
  EXPECT_EQ(only_device(toy_problem("w:param:4B", "2 devices").graph(),
                        {.device_of = {DeviceId{1}}, .priority = {}, .fusions = {}}),
            std::nullopt);
  EXPECT_EQ(all_on(problem, DeviceId{0}).device_of, toy_plan(problem, "b@1").device_of);
  EXPECT_EQ(only_device(graph, all_on(problem, DeviceId{1})), DeviceId{1});
}

TEST(Calibration, OneDeviceNeedsOnePlan) {
  EXPECT_EQ(calibration_plans(toy_problem("a:1 -> b:1", "1 devices")).size(), 1U);
}

// Of 24 ops the cheapest three; those of the same time by their number.
TEST(ScatteredPlan, MovesAnEighthOfTheUnitsTheCheapestFirst) {
  std::string text;
  for (int i = 0; i < 24; ++i) text += fmt::format("o{}:{};", i, i == 7 || i == 20 ? 1 : 2);
  const Problem problem = toy_problem(text, "2 devices");
  const Plan plan = scattered_plan(problem, DeviceId{0}, DeviceId{1});
  EXPECT_EQ(plan.device_of, toy_plan(problem, "o7@1 o20@1 o0@1").device_of);
}

// Ops of one group move together or, where one of them may not go, not at all; without time there is nothing to see.
TEST(ScatteredPlan, MovesWholeUnitsThatMayGo) {
  const Problem problem =
      toy_problem("p:0:group=g; q:9:group=g; r:1/-:group=h; s:1:group=h; t:3:group=i; u:0", "2 devices");
  EXPECT_EQ(scattered_plan(problem, DeviceId{0}, DeviceId{1}).device_of, toy_plan(problem, "t@1").device_of);
  const Problem others = toy_problem("p:1:group=g; q:1:group=g; t:3", "2 devices");
  EXPECT_EQ(scattered_plan(others, DeviceId{1}, DeviceId{0}).device_of, toy_plan(others, "p@0 q@0 t@1").device_of);
}

TEST(ScatteredPlan, MovesNoMoreThan32) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("o{}:1;", i);
  const Plan plan = scattered_plan(toy_problem(text, "2 devices"), DeviceId{0}, DeviceId{1});
  EXPECT_EQ(std::ranges::count(plan.device_of, DeviceId{1}), 32);
}

// Without a run over several devices, or without links that were fitted, nothing says what a handover takes.
TEST(Handovers, AreNotGuessed) {
  const Problem problem = toy_problem("a:1:8B -> b:1", "2 devices");
  Calibration calibration = with_links(problem, {{DeviceId{0}, DeviceId{1}, 4, 0.5, 10.0}});
  const CalibrationRun alone = run_alone(problem, toy_plan(problem, "a@0 b@0"), {1.0, 1.0}, 5.0);
  const CalibrationRun cut = run_of(problem, toy_plan(problem, "a@0 b@1"), {1.0, 1.0}, 7.0);
  fit_handovers(problem, {alone}, calibration);
  EXPECT_EQ(calibration.handover_s, 0.0);
  EXPECT_EQ(calibration.links[0].latency_s, 0.5);
  calibration.links.clear();
  fit_handovers(problem, {alone, cut}, calibration);
  EXPECT_EQ(calibration.handover_s, 0.0);
}

}  // namespace
}  // namespace berth
