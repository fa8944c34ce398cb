// SPDX-License-Identifier: Apache-2.0
#include "measure/sample.h"

#include <gtest/gtest.h>

#include "measure/measured_evaluator.h"
#include "support/toy.h"

namespace berth {
namespace {

Sample some_sample() {
  Sample sample;
  sample.steps_s = {1.0, 3.0, 2.0};
  sample.ops = {{OpId{0}, 0.0, 0.5}, {OpId{1}, 0.5, 2.0}};
  sample.op_s = {0.5, 1.25};
  sample.transfers = {{TensorId{0}, DeviceId{0}, DeviceId{1}, 0.5, 0.75, 4}};
  sample.peak = {100, 20};
  sample.tensor_peak = {90, 20};
  sample.checksum = "abc";
  return sample;
}

TEST(Sample, MedianAndSpread) {
  EXPECT_DOUBLE_EQ(some_sample().median_s(), 2.0);
  EXPECT_DOUBLE_EQ(some_sample().spread(), (2.8 - 1.2) / 2.0);
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0}, 0.25), 1.75);
}

TEST(Sample, TravelsAsText) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "2 devices");
  const Sample back = read_sample(write_sample(some_sample()), problem.graph(), 2).value();
  EXPECT_EQ(back.steps_s, some_sample().steps_s);
  EXPECT_EQ(back.op_s, some_sample().op_s);
  ASSERT_EQ(back.transfers.size(), 1U);
  EXPECT_EQ(back.transfers[0].bytes, 4);
  EXPECT_EQ(back.peak, some_sample().peak);
  EXPECT_EQ(back.checksum, "abc");
}

TEST(Sample, OfAnotherGraphIsRefused) {
  const Problem smaller = toy_problem("a:1:4B", "2 devices");
  EXPECT_FALSE(read_sample(write_sample(some_sample()), smaller.graph(), 2).ok());
  EXPECT_FALSE(read_sample(write_sample(some_sample()), toy_problem("a:1 -> b:1", "2 devices").graph(), 3).ok());
  EXPECT_FALSE(read_sample("{}", smaller.graph(), 2).ok());
}

TEST(MeasuredScore, TakesTimesAndPeaksFromTheSample) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "2 devices, 1 s per edge");
  const Plan plan = toy_plan(problem, "a@0 b@1");
  const Score score = score_of_sample(problem, plan, some_sample());
  EXPECT_TRUE(score.feasible);
  EXPECT_EQ(score.step_time, to_picoseconds(2.0));
  EXPECT_EQ(score.devices[0].busy, to_picoseconds(0.5));
  EXPECT_EQ(score.devices[1].busy, to_picoseconds(1.25));
  EXPECT_EQ(score.devices[0].peak, 100);
  EXPECT_EQ(score.queues[0].bytes, 4);
}

TEST(MeasuredScore, OverItsMemoryIsInfeasible) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "device 0 memory=64B; device 1 memory=64B; link 0 1");
  const Score score = score_of_sample(problem, toy_plan(problem, "a@0 b@1"), some_sample());
  EXPECT_FALSE(score.feasible);
  ASSERT_TRUE(score.overflow);
  EXPECT_EQ(score.overflow->over, 36);
}

TEST(MeasuredScore, AFailedSampleIsBehindEveryPlanThatRan) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "2 devices");
  const Plan plan = toy_plan(problem, "a@0 b@1");
  const Score failed = score_of_sample(problem, plan, bad_input("crashed"));
  EXPECT_FALSE(failed.feasible);
  EXPECT_TRUE(better(score_of_sample(problem, plan, some_sample()), failed));
}

TEST(Shortlist, KeepsTheBestOnceEach) {
  const Problem problem = toy_problem("a:1/3; b:2/2", "2 devices");
  Shortlist shortlist(2);
  for (const char* text : {"a@1 b@1", "a@0 b@1", "a@0 b@1", "a@0 b@0"}) {
    const Plan plan = toy_plan(problem, text);
    shortlist.offer(plan, simulate(problem, plan));
  }
  EXPECT_EQ(shortlist.plans(), (std::vector<Plan>{toy_plan(problem, "a@0 b@1"), toy_plan(problem, "a@0 b@0")}));
}

}  // namespace
}  // namespace berth
