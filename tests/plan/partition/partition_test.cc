// SPDX-License-Identifier: Apache-2.0
// What `scotch`, `mincut` and `metis` promise beyond the contract of all planners.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <ostream>

#include "plan/planners.h"
#include "plan/search/placement.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::string_view kLinkedGpus =
    "device cpu; device gpu0 memory=1000B; device gpu1 memory=1000B; link cpu gpu0 rate=10; link cpu gpu1 rate=10; "
    "link gpu0 gpu1 rate=10";

// Two groups of `size` ops, each op of which passes 100 B to all later ones of its group; one edge joins the groups.
std::string two_clusters(int size, std::string_view seconds) {
  std::string text;
  for (const char cluster : {'l', 'r'}) {
    for (int i = 0; i < size; ++i) text += fmt::format("{}{}:{}:100B; ", cluster, i, seconds);
    for (int i = 0; i + 1 < size; ++i) {
      for (int j = i + 1; j < size; ++j) text += fmt::format("{0}{1} -> {0}{2}; ", cluster, i, j);
    }
  }
  return text + "l0 -> r0";
}

class Partition : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (planner().make == nullptr) GTEST_SKIP() << GetParam() << " is left out of this build";
  }
  static const PlannerInfo& planner() {
    return *std::ranges::find(classical_planners(), GetParam(), &PlannerInfo::name);
  }
  static Plan run(const Problem& problem, const Budget& budget = {.evaluations = 100}) {
    Search search(problem, budget);
    Plan plan = planner().make()->plan(search).value();
    EXPECT_FALSE(verify(problem, plan));
    return plan;
  }
};

// Seconds of work on every device.
std::vector<double> loads(const Problem& problem, const Plan& plan) {
  std::vector<double> seconds(problem.machine().num_devices(), 0.0);
  for (const OpId op : problem.graph().ops()) {
    seconds[index(plan.device(op))] += to_seconds(problem.duration(op, plan.device(op)));
  }
  return seconds;
}

TEST_P(Partition, CutsTwoClustersAtTheThinEdge) {
  const Problem problem = toy_problem(two_clusters(6, "50/1/1"), kLinkedGpus);
  const Plan plan = run(problem);
  for (std::uint32_t i = 1; i < 6; ++i) {
    EXPECT_EQ(plan.device(OpId{i}), plan.device(OpId{0}));
    EXPECT_EQ(plan.device(OpId{6 + i}), plan.device(OpId{6}));
  }
  EXPECT_NE(plan.device(OpId{0}), plan.device(OpId{6}));
}

TEST_P(Partition, AFasterDeviceGetsMore) {
  std::string text;
  for (int i = 0; i < 120; ++i) text += fmt::format("op{}:90/1/3; ", i);  // gpu1 is three times as slow, no edges
  const Problem problem = toy_problem(text, kLinkedGpus);
  const std::vector<double> seconds = loads(problem, run(problem));
  EXPECT_NEAR(seconds[1], 90.0, 9.0);  // 90 ops of 1 s and 30 of 3 s
  EXPECT_NEAR(seconds[2], 90.0, 9.0);
}

TEST_P(Partition, KeepsPins) {
  Constraints constraints;
  constraints.pins = {{OpId{0}, DeviceId{2}}, {OpId{1}, DeviceId{1}}, {OpId{7}, DeviceId{0}}};
  const Problem problem = constrained_toy(two_clusters(6, "1"), kLinkedGpus, constraints);
  const Plan plan = run(problem);
  EXPECT_EQ(plan.device(OpId{0}), DeviceId{2});
  EXPECT_EQ(plan.device(OpId{1}), DeviceId{1});
  EXPECT_EQ(plan.device(OpId{7}), DeviceId{0});
}

TEST_P(Partition, HonoursALimitOnDevices) {
  Constraints constraints;
  constraints.max_devices = 2;
  const Problem problem = constrained_toy(two_clusters(6, "1"), kLinkedGpus, constraints);
  run(problem);
}

TEST_P(Partition, LooseAndSeveredGraphsAreSpread) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("a{0}:9/1/1 -> b{0}:9/1/1; ", i);
  const Problem problem = toy_problem(text, kLinkedGpus);
  const std::vector<double> seconds = loads(problem, run(problem));
  EXPECT_LE(*std::ranges::max_element(seconds), 33.0);  // 60 s of work; one device alone takes 60
}

TEST_P(Partition, GivesTheSamePlanAgainAndInTwoThreadsAtOnce) {
  Rng rng(11);
  const Problem problem = random_problem(rng, 400);
  const Plan first = run(problem);
  EXPECT_EQ(run(problem), first);
  std::vector<std::future<Plan>> futures;
  for (int i = 0; i < 2; ++i) futures.push_back(std::async(std::launch::async, [&] { return run(problem); }));
  for (std::future<Plan>& future : futures) EXPECT_EQ(future.get(), first);
}

TEST_P(Partition, LibrariesPrintNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (const PlanToy& toy : plan_toys()) run(toy.problem);
  const std::string lumpy = "a:100 -> b:1 -> c:1; a -> d:1";  // one op is most of the work: parts stay empty
  run(toy_problem(lumpy, "5 devices, 1 s per edge"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

INSTANTIATE_TEST_SUITE_P(All, Partition, testing::Values("scotch", "mincut", "metis"),
                         [](const auto& test) { return std::string(test.param); });

class MetisPlan : public Partition {};

// Work is equal, but all parameters hang on six ops of the first cluster: balancing work alone fills one GPU.
TEST_P(MetisPlan, SpreadsMemoryByCapacity) {
  std::string text;
  for (int i = 0; i < 24; ++i) text += fmt::format("a{}:9/1/1:1B; ", i);
  for (int i = 0; i < 12; ++i) text += fmt::format("w{0}:param:100B -> a{0}; ", i);
  for (int i = 0; i + 1 < 12; ++i) text += fmt::format("a{} -> a{}; a{} -> a{}; ", i, i + 1, 12 + i, 13 + i);
  const Problem problem = toy_problem(text, kLinkedGpus);  // 1200 B of parameters, 1000 B per GPU
  EXPECT_TRUE(simulate(problem, run(problem)).feasible);
}

INSTANTIATE_TEST_SUITE_P(All, MetisPlan, testing::Values("metis"));

TEST_P(Partition, MincutLeavesTheCpuAloneAndScotchDoesNot) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += fmt::format("a{}:1/1/1; ", i);
  text += "only:1/-/-";
  const Problem problem = toy_problem(text, kLinkedGpus);
  const std::vector<double> seconds = loads(problem, run(problem));
  if (GetParam() == "scotch") {
    EXPECT_NEAR(seconds[0], 20.0, 3.0);  // three equal devices
  } else {
    EXPECT_DOUBLE_EQ(seconds[0], 1.0);  // what no accelerator runs
  }
}

}  // namespace
}  // namespace berth
