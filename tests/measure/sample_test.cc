// SPDX-License-Identifier: Apache-2.0
#include "measure/sample.h"

#include <gtest/gtest.h>

#include "measure/measured_evaluator.h"
#include "sim/simulator.h"
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
  sample.profiled_step_s = 1.75;
  sample.checksum = "abc";
  return sample;
}

TEST(Sample, MedianAndSpread) {
  EXPECT_DOUBLE_EQ(some_sample().median_s(), 2.0);
  EXPECT_DOUBLE_EQ(some_sample().spread(), (2.8 - 1.2) / 2.0);
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0}, 0.25), 1.75);
}

TEST(Sample, QuantilesReachFromTheLeastToTheMost) {
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 1.0), 3.0);
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 0.75), 2.5);
  EXPECT_DOUBLE_EQ(quantile({5.0}, 0.9), 5.0);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0.0);
}

TEST(Sample, WithoutRunsOrWithoutTimeHasNoSpread) {
  EXPECT_DOUBLE_EQ(Sample().median_s(), 0.0);
  EXPECT_DOUBLE_EQ(Sample().spread(), 0.0);
  Sample still;
  still.steps_s = {0.0, 0.0};
  EXPECT_DOUBLE_EQ(still.spread(), 0.0);
}

TEST(Sample, TravelsAsText) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "2 devices");
  const Sample back = read_sample(write_sample(some_sample()), problem.graph(), 2).value();
  EXPECT_EQ(back.steps_s, some_sample().steps_s);
  EXPECT_EQ(back.op_s, some_sample().op_s);
  ASSERT_EQ(back.ops.size(), 2U);
  EXPECT_EQ(index(back.ops[1].op), 1U);
  EXPECT_EQ(back.ops[1].start_s, 0.5);
  EXPECT_EQ(back.ops[1].end_s, 2.0);
  ASSERT_EQ(back.transfers.size(), 1U);
  EXPECT_EQ(index(back.transfers[0].from), 0U);
  EXPECT_EQ(index(back.transfers[0].to), 1U);
  EXPECT_EQ(back.transfers[0].start_s, 0.5);
  EXPECT_EQ(back.transfers[0].end_s, 0.75);
  EXPECT_EQ(back.transfers[0].bytes, 4);
  EXPECT_EQ(back.peak, some_sample().peak);
  EXPECT_EQ(back.tensor_peak, some_sample().tensor_peak);
  EXPECT_EQ(back.profiled_step_s, 1.75);
  EXPECT_EQ(back.checksum, "abc");
  EXPECT_EQ(write_sample(back), write_sample(some_sample()));
}

TEST(Sample, IsOneLine) {
  const std::string text = write_sample(some_sample());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

// Every member of the answer in turn as it must not be.
TEST(Sample, ThatIsDamagedIsRefusedByWhatIsWrong) {
  const Problem problem = toy_problem("a:1:4B -> b:1", "2 devices");
  const auto error_with = [&](std::string_view right, std::string_view wrong) {
    std::string text = write_sample(some_sample());
    const std::size_t at = text.find(right);
    EXPECT_NE(at, std::string::npos) << right << " in " << text;
    const auto sample = read_sample(text.replace(at, right.size(), wrong), problem.graph(), 2);
    return sample ? "" : sample.error().message;
  };
  EXPECT_EQ(error_with("\"ops\"", "\"ops\""), "");
  EXPECT_EQ(error_with("[0, 0, 0.5]", "[0, 0]"), "ops[0]: it is too short");
  EXPECT_EQ(error_with("[0, 0, 0.5]", "[]"), "ops[0]: it is too short");
  EXPECT_NE(error_with("[1, 0.5, 2]", "[2, 0.5, 2]").find("ops[1][0]"), std::string::npos) << "two ops: 0 and 1";
  EXPECT_NE(error_with("[0, 0, 1, 0.5, 0.75, 4]", "[2, 0, 1, 0.5, 0.75, 4]").find("transfers[0][0]"),
            std::string::npos);
  EXPECT_NE(error_with("[0, 0, 1, 0.5, 0.75, 4]", "[0, 2, 1, 0.5, 0.75, 4]").find("transfers[0][1]"),
            std::string::npos);
  EXPECT_NE(error_with("[0, 0, 1, 0.5, 0.75, 4]", "[0, 0, 2, 0.5, 0.75, 4]").find("transfers[0][2]"),
            std::string::npos);
  EXPECT_EQ(error_with("[0, 0, 1, 0.5, 0.75, 4]", "[0, 0, 1, 0.5, 0.75]"), "transfers[0]: it is too short");
  EXPECT_NE(error_with("[0, 0, 1, 0.5, 0.75, 4]", "[0, 0, 1, 0.5, 0.75, 1e300]").find("transfers[0][5]"),
            std::string::npos);
  EXPECT_NE(error_with("[100, 20]", "[-100, 20]").find("peak[0]"), std::string::npos);
  EXPECT_NE(error_with("\"abc\"", "3").find("checksum"), std::string::npos);
  EXPECT_NE(error_with("\"steps_s\"", "\"steps\"").find("steps_s"), std::string::npos);
  for (const auto& [right, wrong] : {std::pair{"[1, 3, 2]", "[]"}, std::pair{"[0.5, 1.25]", "[0.5]"},
                                     std::pair{"[100, 20]", "[100]"}, std::pair{"[90, 20]", "[90]"}}) {
    EXPECT_EQ(error_with(right, wrong), "the measuring process sent an answer that does not fit the graph") << wrong;
  }
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
