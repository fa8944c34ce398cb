// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/baselines/simple_planners.h"
#include "plan/search/placement.h"
#include "plan/toys.h"

namespace berth {
namespace {

struct RanSimple {
  std::string plan;  // "a@cpu b@gpu0"
  std::string note;
  std::uint64_t evaluations;
};

template <typename T>
RanSimple run_simple(const Problem& problem, const Budget& budget = {}) {
  Search search(problem, budget);
  const Plan plan = T().plan(search).value();
  std::string text;
  for (const OpId op : problem.graph().ops()) {
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", problem.graph().name(op),
                        problem.machine().device(plan.device(op)).name);
  }
  return {text, search.note(), search.evaluations()};
}

TEST(Single, TakesTheBestDeviceAndSaysWhich) {
  const RanSimple ran = run_simple<SinglePlanner>(toy_problem("a:3/2/1 -> b:3/2/1", kTwoGpus));
  EXPECT_EQ(ran.plan, "a@gpu1 b@gpu1");
  EXPECT_EQ(ran.note, "all on gpu1");
  EXPECT_EQ(ran.evaluations, 3U);
}

TEST(Single, PrefersAFeasibleDeviceToAFasterOne) {
  const RanSimple ran = run_simple<SinglePlanner>(toy_problem("a:9/1/1:200B -> b:9/1/1", kTwoGpus));
  EXPECT_EQ(ran.plan, "a@cpu b@cpu");
}

TEST(Single, SaysWhenNothingFits) {
  const RanSimple ran = run_simple<SinglePlanner>(
      toy_problem("a:1:20B -> b:1:20B", "device cpu memory=4B; device gpu memory=30B; link cpu gpu"));
  EXPECT_EQ(ran.plan, "a@gpu b@gpu");
  EXPECT_EQ(ran.note, "no device holds it alone, nearest is gpu");
}

TEST(Single, CutShortItSaysHowManyDevicesItTried) {
  const Problem tight = toy_problem("a:1:20B -> b:1:20B", "device cpu; device gpu memory=30B; link cpu gpu");
  EXPECT_EQ(run_simple<SinglePlanner>(tight, {.evaluations = 1}).note,
            "1 of 2 devices tried, none holds it alone, nearest is gpu");
  EXPECT_EQ(run_simple<SinglePlanner>(toy_problem("a:1", kTwoGpus), {.evaluations = 2}).note,
            "all on gpu0, 2 of 3 devices tried");
}

TEST(Single, CountsTheOpsThatGoElsewhere) {
  EXPECT_EQ(run_simple<SinglePlanner>(toy_problem("x:input -> a:9/1/2 -> b:1/-/-", kTwoGpus)).note,
            "on gpu0, 1 op elsewhere");
}

TEST(CpuOnly, SaysWhenThereIsNoCpuAndWhenOpsGoElsewhere) {
  EXPECT_EQ(run_simple<CpuOnlyPlanner>(toy_problem("a:1", "device g0; device g1; link g0 g1")).note,
            "no CPU, all on g0");
  EXPECT_EQ(run_simple<CpuOnlyPlanner>(toy_problem("a:1 -> b:-/1/1 -> c:-/1/1", kTwoGpus)).note,
            "on cpu, 2 ops elsewhere");
}

TEST(CpuOnly, TakesTheFirstCpu) {
  EXPECT_EQ(run_simple<CpuOnlyPlanner>(toy_problem("a:1 -> b:1", kTwoGpus)).plan, "a@cpu b@cpu");
  EXPECT_EQ(run_simple<CpuOnlyPlanner>(toy_problem("a:1 -> b:1", "device g0; device g1; link g0 g1")).plan,
            "a@g0 b@g0");
}

TEST(GpuOnly, SendsWhatItCannotRunToTheCpu) {
  EXPECT_EQ(run_simple<GpuOnlyPlanner>(toy_problem("a:1 -> b:2/-/1 -> c:-/-/1", kTwoGpus)).plan, "a@gpu0 b@cpu c@gpu1");
}

TEST(GpuOnly, WithoutAnAcceleratorTakesTheCpuAndSaysSo) {
  const RanSimple ran = run_simple<GpuOnlyPlanner>(toy_problem("a:1", "2 devices"));
  EXPECT_EQ(ran.plan, "a@0");
  EXPECT_EQ(ran.note, "no accelerator, all on 0");
}

TEST(RoundRobin, DealsUnitsOutInTopologicalOrder) {
  // c has the lowest id but comes last; w and u are one unit.
  const Problem problem = toy_problem("c:1; w:param; a:1 -> b:1 -> c; w -> b; u:1:update=w; b -> u; w -> u", kTwoGpus);
  EXPECT_EQ(run_simple<RoundRobinPlanner>(problem).plan, "c@gpu1 w@gpu0 a@gpu1 b@gpu0 u@gpu0");
}

TEST(RoundRobin, UsesEveryCpuOfAMachineWithoutAccelerators) {
  EXPECT_EQ(run_simple<RoundRobinPlanner>(toy_problem("a:1; b:1; c:1", "2 devices")).plan, "a@0 b@1 c@0");
}

TEST(Random, SpreadsOverTheAcceleratorsAndFollowsTheSeed) {
  std::string text = "op0:1";
  for (int i = 1; i < 100; ++i) text += fmt::format("; op{}:1", i);
  const Problem problem = toy_problem(text, kTwoGpus);
  const RanSimple one = run_simple<RandomPlanner>(problem, {.seed = 1});
  EXPECT_EQ(one.evaluations, 1U);
  EXPECT_EQ(one.plan, run_simple<RandomPlanner>(problem, {.seed = 1}).plan);
  EXPECT_NE(one.plan, run_simple<RandomPlanner>(problem, {.seed = 2}).plan);
  EXPECT_EQ(one.plan.find("@cpu"), std::string::npos);
  Search search(problem, {.seed = 1});
  const Plan plan = RandomPlanner().plan(search).value();
  const auto on_first = std::ranges::count(plan.device_of, DeviceId{1});
  EXPECT_GT(on_first, 25);
  EXPECT_LT(on_first, 75);
}

TEST(WorkerDevices, LeaveRoomForTheCpuUnderALimit) {
  Constraints constraints;
  constraints.max_devices = 2;
  EXPECT_EQ(worker_devices(constrained_toy("a:1 -> b:1", kTwoGpus, constraints)).size(), 2U);
  EXPECT_EQ(worker_devices(constrained_toy("a:1 -> b:1/-/-", kTwoGpus, constraints)).size(), 1U);
}

TEST(WorkerDevices, ALimitLeavesThoseThatOpsAreBoundTo) {
  Constraints constraints;
  constraints.max_devices = 1;
  constraints.pins = {{OpId{1}, DeviceId{2}}};
  const Problem problem = constrained_toy("a:1 -> b:1", kTwoGpus, constraints);
  EXPECT_EQ(worker_devices(problem), std::vector{DeviceId{2}});
  EXPECT_EQ(run_simple<RoundRobinPlanner>(problem).plan, "a@gpu1 b@gpu1");
}

}  // namespace
}  // namespace berth
