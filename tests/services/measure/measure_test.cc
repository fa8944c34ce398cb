// SPDX-License-Identifier: Apache-2.0
#include "services/measure/measure.h"

#include "files/json/json_reader.h"
#include "services/measure/calibrate.h"
#include "services/small_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// a on the first device, b and c on the second; a's tensor is sent there.
struct SampledRun {
  Problem problem = toy_problem("a:2 -> b:3; a -> c:1", "2 devices, 1 s per edge");
  MeasuredPlan measured{
      .path = "plan.json", .plan = toy_plan(problem, "a@0 b@1 c@1"), .sample = Sample(), .predicted = {}};

  SampledRun() {
    measured.predicted.step_time = to_picoseconds(7.0);
    Sample& sample = *measured.sample;
    sample.steps_s = {6.0, 7.0, 8.0};
    sample.ops = {{OpId{0}, 0.0, 2.5}, {OpId{1}, 4.0, 6.0}, {OpId{2}, 6.0, 7.0}};
    sample.op_s = {2.5, 2.0, 1.0};
    sample.transfers = {{TensorId{0}, DeviceId{0}, DeviceId{1}, 2.5, 4.0, 100}};
    sample.peak = {300, 500};
    sample.tensor_peak = {200, 600};
  }
};

TEST(MeasuredFacts, AreWorkedOutOfTheSample) {
  const SampledRun run;
  const MeasuredFacts facts = facts_of(run.problem, run.measured);
  EXPECT_EQ(facts.busy_s, (std::vector<double>{2.5, 3.0}));
  EXPECT_EQ(facts.workspaces, (std::vector<Bytes>{100, 0}));  // tensors may be seen when nothing else is held
  ASSERT_EQ(facts.links.size(), 1U);
  const auto& [pair, link] = *facts.links.begin();
  EXPECT_EQ(pair, std::pair(DeviceId{0}, DeviceId{1}));
  EXPECT_EQ(link.transfers, 1U);
  EXPECT_DOUBLE_EQ(link.measured_s, 1.5);
  EXPECT_DOUBLE_EQ(facts.error, 0.0);
  ASSERT_EQ(facts.ops.size(), 3U);
  EXPECT_DOUBLE_EQ(facts.ops[1].predicted_s, 3.0);
  const std::vector<MeasuredFacts::Op> slowest = facts.slowest(2);
  ASSERT_EQ(slowest.size(), 2U);
  EXPECT_EQ(slowest.front().op, OpId{0});
}

TEST(MeasuredFacts, TheTraceHasARowPerDeviceAndPair) {
  const SampledRun run;
  Result<JsonDocument> document =
      JsonDocument::open(measured_trace(run.problem, run.measured.plan, *run.measured.sample));
  ASSERT_TRUE(document);
  std::size_t events = 0;
  ASSERT_TRUE(document
                  ->for_each("traceEvents",
                             [&](const JsonValue&) -> Status {
                               ++events;
                               return {};
                             })
                  .ok());
  EXPECT_EQ(events, 2U + 1U + 3U + 1U);  // names of rows, then ops and the transfer
}

TEST(Measure, WhatCannotBeRunIsRefusedBeforeAnyProgramStarts) {
  ListeningCaller caller;
  const std::string plan = plan_file("single", "measure_single.json");
  const auto zoo = measure_plans({.problem = small_problem(), .measuring = {}, .plans = {plan}}, caller);
  ASSERT_FALSE(zoo);
  EXPECT_NE(zoo.error().message.find("only captures"), std::string::npos);
  const auto two = measure_plans({small_problem(), {}, {plan, plan}, "trace.json"}, caller);
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message, "--trace is for one plan");
  const auto none = measure_plans({{.graph = "zoo:rnnlm,unroll=3"}, {}, {"no such plan.json"}}, caller);
  EXPECT_FALSE(none);
}

TEST(Calibrate, PlansAreNamedByWhatTheyPutWhere) {
  const SampledRun run;
  EXPECT_EQ(ops_by_device(run.problem, run.measured.plan), "1 op on " + run.problem.machine().device(DeviceId{0}).name +
                                                               ", 2 ops on " +
                                                               run.problem.machine().device(DeviceId{1}).name);
  const CheckedRun checked{.plan = "", .measured_s = 2.0, .before_s = 3.0, .after_s = 1.0};
  EXPECT_DOUBLE_EQ(checked.error_before(), 0.5);
  EXPECT_DOUBLE_EQ(checked.error_after(), -0.5);
}

}  // namespace
}  // namespace berth
