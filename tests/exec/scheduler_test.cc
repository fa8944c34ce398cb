// SPDX-License-Identifier: Apache-2.0
#include "exec/scheduler.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth::exec {
namespace {

// Runs everything in the scheduler's order, couriers first: "a@0 a>1 b@1 -a@0" (an op, a delivery, a tensor freed).
std::string story(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  StepScheduler scheduler(graph, plan, problem.machine().num_devices());
  std::string text;
  const auto tell = [&](std::string word) { text += (text.empty() ? "" : " ") + word; };
  const auto settle = [&] {
    while (!scheduler.deliveries.empty()) {
      const Delivery delivery = scheduler.deliveries.front();
      scheduler.deliveries.erase(scheduler.deliveries.begin());
      tell(fmt::format("{}{}>{}", delivery.tensor ? "" : "~", graph.name(delivery.producer), index(delivery.to)));
      scheduler.arrived(delivery);
    }
    for (const Copy& copy : scheduler.unused) {
      tell(fmt::format("-{}@{}", graph.name(graph.producer(copy.tensor)), index(copy.device)));
    }
    scheduler.unused.clear();
  };
  scheduler.begin();
  settle();
  for (bool moved = true; moved;) {
    moved = false;
    for (const DeviceId device : problem.machine().device_ids()) {
      const auto op = scheduler.next(device);
      if (!op) continue;
      moved = true;
      tell(fmt::format("{}@{}", graph.name(*op), index(device)));
      scheduler.op_done(*op);
      settle();
    }
  }
  EXPECT_TRUE(scheduler.finished());
  return text;
}

std::string story(std::string_view graph, std::string_view plan) {
  const Problem problem = toy_problem(graph, "2 devices");
  return story(problem, toy_plan(problem, plan));
}

TEST(StepScheduler, SendsOncePerDeviceAndFreesAfterTheLastUse) {
  EXPECT_EQ(story("a:1 -> b:1; a -> c:1; a -> d:1", "a@0 b@0 c@1 d@1"), "a@0 a>1 c@1 -c@1 b@0 -b@0 -a@0 d@1 -d@1 -a@1");
}

TEST(StepScheduler, HighestPriorityThenEarliestThenLowestId) {
  EXPECT_EQ(story("a:1:none; b:1:none; c:1:none", "a@0 b@0!2 c@0!2"), "b@0 c@0 a@0");
}

TEST(StepScheduler, ViewsComeFirst) {
  EXPECT_EQ(story("a:1 -> v:view:1B -> c:1:none; b:1:none", "b@0!9 a@0!10"), "a@0 v@0 -a@0 b@0 c@0 -v@0");
}

TEST(StepScheduler, ControlEdgesAcrossDevicesAreSignals) {
  EXPECT_EQ(story("a:1:none => b:1:none", "a@0 b@1"), "a@0 ~a>1 b@1");
}

TEST(StepScheduler, StoredTensorsAreSentAtOnceAndOutputsStay) {
  EXPECT_EQ(story("w:param:4B -> a:1:out", "w@0 a@1"), "w>1 -w@0 a@1 -w@1");
}

}  // namespace
}  // namespace berth::exec
