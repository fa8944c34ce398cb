// SPDX-License-Identifier: Apache-2.0
// verify(): every reason to refuse a plan.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "problem/parts.h"
#include "problem/problem.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

Problem problem_with(Constraints constraints, std::string_view graph_text = "a:1 -> b:1 -> c:1; a -> d:1") {
  const ToyGraph toy = toy_graph(graph_text);
  ExplicitCosts costs;
  for (std::vector<double> row : toy.seconds) {
    if (row.size() == 1) row.assign(3, row[0]);
    costs.time_s.push_back(row);
  }
  const auto machine =
      toy_machine("device cpu; device gpu0; device gpu1; link cpu gpu0; link cpu gpu1; link gpu0 gpu1");
  return make_problem(toy.graph, machine, costs, std::move(constraints)).value();
}

Plan plan_of(std::vector<DeviceId> devices) {
  Plan plan;
  plan.device_of = std::move(devices);
  return plan;
}

std::string verdict(const Problem& problem, const Plan& plan) {
  const auto error = verify(problem, plan);
  return error ? error->message : "legal";
}

TEST(Verify, AcceptsALegalPlan) {
  Plan plan = plan_of({kCpu, kGpu0, kGpu0, kGpu1});
  EXPECT_EQ(verdict(problem_with({}), plan), "legal");
  plan.priority = {-1e308, 0, 0.5, 7};
  plan.fusions = {{OpId{2}, OpId{1}}};
  EXPECT_EQ(verdict(problem_with({}), plan), "legal");
}

TEST(Verify, RefusesPlansOfTheWrongSize) {
  EXPECT_EQ(verdict(problem_with({}), {}), "the plan places 0 ops, the graph has 4");
  EXPECT_EQ(verdict(problem_with({}), plan_of({kCpu, kCpu, kCpu, kCpu, kCpu})),
            "the plan places 5 ops, the graph has 4");
}

TEST(Verify, RefusesOpsOnNoDevice) {
  EXPECT_EQ(verdict(problem_with({}), plan_of({kCpu, kCpu, kNoDevice, kCpu})), "op 'c' is on no device");
  EXPECT_EQ(verdict(problem_with({}), plan_of({kCpu, kCpu, DeviceId{3}, kCpu})), "op 'c' is on no device");
}

TEST(Verify, RefusesForbiddenDevices) {
  Constraints pinned;
  pinned.pins = {{OpId{1}, kGpu1}};
  EXPECT_EQ(verdict(problem_with(pinned), plan_of({kCpu, kGpu0, kCpu, kCpu})),
            "op 'b' may not be on gpu0: its kind, a pin or what it is colocated with forbids it");
  EXPECT_EQ(verdict(problem_with(pinned), plan_of({kCpu, kGpu1, kCpu, kCpu})), "legal");
  EXPECT_EQ(verdict(problem_with({}, "a:1/-/1"), plan_of({kGpu0})),
            "op 'a' may not be on gpu0: its kind, a pin or what it is colocated with forbids it");
  EXPECT_EQ(verdict(problem_with({}, "x:input"), plan_of({kGpu0})),
            "op 'x' may not be on gpu0: its kind, a pin or what it is colocated with forbids it");
}

TEST(Verify, RefusesUnitsThatAreTornApart) {
  const std::string torn = "ops 'a' and 'c' must share a device but are on cpu and gpu1";
  Constraints constraints;
  constraints.together = {{OpId{2}, OpId{0}}};
  EXPECT_EQ(verdict(problem_with(constraints), plan_of({kCpu, kCpu, kGpu1, kCpu})), torn);
  EXPECT_EQ(verdict(problem_with({}, "a:1:group=g; b:1; c:1:group=g"), plan_of({kCpu, kCpu, kGpu1})), torn);
  EXPECT_EQ(verdict(problem_with({}, "w:param; u:1:update=w"), plan_of({kGpu0, kGpu1})),
            "ops 'w' and 'u' must share a device but are on gpu0 and gpu1");
}

TEST(Verify, RefusesBadPriorities) {
  Plan plan = plan_of({kCpu, kCpu, kCpu, kCpu});
  plan.priority = {1, 2};
  EXPECT_EQ(verdict(problem_with({}), plan), "the plan has 2 priorities for 4 ops");
  for (const double bad : std::initializer_list<double>{std::nan(""), INFINITY, -INFINITY}) {
    plan.priority = {0, bad, 0, 0};
    EXPECT_EQ(verdict(problem_with({}), plan), "op 'b' has a priority that is not finite");
  }
}

TEST(Verify, CountsDevicesThatCompute) {
  Constraints constraints;
  constraints.max_devices = 2;
  EXPECT_EQ(verdict(problem_with(constraints), plan_of({kCpu, kGpu0, kGpu1, kCpu})),
            "the plan computes on 3 devices; at most 2 are allowed");
  EXPECT_EQ(verdict(problem_with(constraints), plan_of({kCpu, kGpu0, kGpu0, kCpu})), "legal");
  // Inputs, parameters and views compute nothing.
  const Problem problem = problem_with(constraints, "x:input -> a:1 -> b:1; w:param -> v:view -> b");
  EXPECT_EQ(verdict(problem, plan_of({kCpu, kGpu0, kGpu1, kCpu, kCpu})), "legal");
}

TEST(Verify, CountsCrossings) {
  Constraints constraints;
  constraints.max_crossings = 1;
  EXPECT_EQ(verdict(problem_with(constraints), plan_of({kCpu, kGpu0, kCpu, kCpu})),
            "the plan sends 2 tensors between devices; at most 1 are allowed");
  EXPECT_EQ(verdict(problem_with(constraints), plan_of({kCpu, kGpu0, kGpu0, kGpu0})), "legal");
}

TEST(Verify, RefusesIllegalFusions) {
  Plan plan = plan_of({kCpu, kGpu0, kCpu, kCpu});
  plan.fusions = {{OpId{0}, OpId{2}}};
  EXPECT_NE(verdict(problem_with({}), plan), "legal");
}

TEST(Crossings, AreTensorsTimesDestinations) {
  const ToyGraph toy = toy_graph("a:1:1B:1B -> b:1; a -> c:1; a -> d:1; a.1 -> d; b => d");
  const auto crossings = [&](std::vector<DeviceId> devices) {
    return count_crossings(*toy.graph, plan_of(std::move(devices)));
  };
  EXPECT_EQ(crossings({kCpu, kCpu, kCpu, kCpu}), 0);
  EXPECT_EQ(crossings({kCpu, kGpu0, kCpu, kCpu}), 1);   // the control edge from b sends nothing
  EXPECT_EQ(crossings({kCpu, kGpu0, kGpu0, kCpu}), 1);  // once per destination
  EXPECT_EQ(crossings({kCpu, kGpu0, kGpu1, kCpu}), 2);
  EXPECT_EQ(crossings({kCpu, kGpu0, kGpu1, kGpu1}), 3);
}

TEST(Verify, AcceptsRandomLegalPlansAndCatchesOneWrongDevice) {
  Rng rng(11);
  int caught = 0;
  for (int round = 0; round < 200; ++round) {
    const Problem problem = random_problem(rng, 30);
    Plan plan = random_plan(problem, rng);
    ASSERT_EQ(verdict(problem, plan), "legal");
    const OpId op{static_cast<std::uint32_t>(rng.below(problem.graph().num_ops()))};
    const DeviceId device{static_cast<std::uint16_t>(rng.below(problem.machine().num_devices()))};
    plan.device_of[index(op)] = device;
    plan.fusions.clear();
    bool legal = (problem.allowed(op) & device_bit(device)) != 0;
    for (const OpId other : problem.unit_ops(problem.unit(op))) legal = legal && plan.device(other) == device;
    ASSERT_EQ(verify(problem, plan) == std::nullopt, legal);
    caught += legal ? 0 : 1;
  }
  EXPECT_GT(caught, 10);
}

}  // namespace
}  // namespace berth
