// SPDX-License-Identifier: Apache-2.0
#include "exec/scheduler.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "support/random_problem.h"
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

// b becomes ready when a ends, before c, which waits for the transfer; then the lower number of d and e comes first.
TEST(StepScheduler, EarliestReadyComesFirst) {
  EXPECT_EQ(story("a:1 -> c:1:none; x:1 -> b:1:none", "a@0 c@1 x@1 b@1"), "a@0 a>1 -a@0 x@1 c@1 -a@1 b@1 -x@1");
  EXPECT_EQ(story("e:1:none; d:1:none", "e@0 d@0"), "e@0 d@0");
}

TEST(StepScheduler, PriorityIsStrongerThanTheTimeOfWaiting) {
  EXPECT_EQ(story("a:1 -> c:1:none; b:1:none", "a@0!5 b@0 c@0!1"), "a@0 c@0 -a@0 b@0");
  EXPECT_EQ(story("a:1 -> c:1:none; b:1:none", "a@0!5 b@0!2 c@0!1"), "a@0 b@0 c@0 -a@0");
}

// What nobody reads goes at once; what the graph gives stays, also where others have read it.
TEST(StepScheduler, UnusedOutputsGoAtOnceAndOutputsOfTheGraphStay) {
  EXPECT_EQ(story("a:1:4B:8B -> b:1:none", "a@0 b@0"), "a@0 -a@0 b@0 -a@0");
  EXPECT_EQ(story("a:1:out -> b:1:none", "a@0 b@1"), "a@0 a>1 b@1 -a@1");
}

// An input that is read twice by one op is one use, and one thing to wait for.
TEST(StepScheduler, RepeatedInputsCountOnce) {
  EXPECT_EQ(story("a:1 -> b:1:none; a -> b", "a@0 b@0"), "a@0 b@0 -a@0");
  EXPECT_EQ(story("a:1 -> b:1:none; a -> b", "a@0 b@1"), "a@0 a>1 -a@0 b@1 -a@1");
}

TEST(StepScheduler, OneTensorGoesToEveryDeviceThatNeedsIt) {
  const Problem problem = toy_problem("a:1 -> b:1:none; a -> c:1:none; a -> d:1:none", "3 devices");
  EXPECT_EQ(story(problem, toy_plan(problem, "a@1 b@0 c@2 d@2")), "a@1 a>0 a>2 -a@1 c@2 b@0 -a@0 d@2 -a@2");
}

// A tensor and a signal to the same device: both must be there. A signal to an op beside needs no courier.
TEST(StepScheduler, SignalsAndTensorsAreWaitedFor) {
  EXPECT_EQ(story("a:1 -> c:1:none; b:1:none => c", "a@0 b@0 c@1"), "a@0 a>1 -a@0 b@0 ~b>1 c@1 -a@1");
  EXPECT_EQ(story("a:1:none => b:1:none; c:1:none", "a@0 b@0 c@0!1"), "c@0 a@0 b@0");
  EXPECT_EQ(story("x:input:4B => b:1:none", "x@0 b@1"), "~x>1 -x@0 b@1") << "an input is there at the start";
}

TEST(StepScheduler, KnowsWhoseResultsLeaveTheDevice) {
  const Problem problem = toy_problem("a:1 -> b:1:none; a -> c:1:none; d:1:none => b; e:1 -> c", "2 devices");
  const StepScheduler scheduler(problem.graph(), toy_plan(problem, "a@0 b@0 c@1 d@1 e@1"), 2);
  std::string remote;
  for (const OpId op : problem.graph().ops()) {
    if (scheduler.has_remote(op)) remote += problem.graph().name(op);
  }
  EXPECT_EQ(remote, "ad") << "a's tensor and d's signal; e stays";
}

TEST(StepScheduler, EveryStepBeginsAnew) {
  const Problem problem = toy_problem("a:1 -> b:1:none; c:1 -> b", "2 devices");
  StepScheduler scheduler(problem.graph(), toy_plan(problem, "a@0 b@0 c@1"), 2);
  for (int step = 0; step < 3; ++step) {
    scheduler.begin();
    EXPECT_FALSE(scheduler.finished());
    EXPECT_TRUE(scheduler.deliveries.empty());
    EXPECT_EQ(scheduler.next(DeviceId{0}), OpId{0});
    EXPECT_FALSE(scheduler.has_ready(DeviceId{0}));
    EXPECT_EQ(scheduler.next(DeviceId{0}), std::nullopt);
    scheduler.op_done(OpId{0});
    EXPECT_FALSE(scheduler.has_ready(DeviceId{0})) << "b waits for c";
    // The step is given up here; the next one knows nothing of it.
  }
}

// Of any graph and plan: every op once, after all it needs, and in the end everything but outputs is gone.
TEST(StepScheduler, RunsAnyPlanToItsEnd) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    const Graph& graph = problem.graph();
    const Plan plan = random_plan(problem, rng);
    const std::size_t devices = problem.machine().num_devices();
    StepScheduler scheduler(graph, plan, devices);
    std::set<std::pair<std::size_t, std::size_t>> there;  // device, tensor
    std::size_t done = 0;
    for (const OpId op : graph.ops()) {
      if (!is_stored(graph.role(op))) continue;
      ++done;
      for (const TensorId tensor : graph.outputs(op)) there.emplace(index(plan.device(op)), index(tensor));
    }
    const auto settle = [&] {
      for (const Copy& copy : std::exchange(scheduler.unused, {})) {
        EXPECT_EQ(there.erase({index(copy.device), index(copy.tensor)}), 1U) << "freed twice, or never there";
      }
      for (const Delivery& delivery : std::exchange(scheduler.deliveries, {})) {
        if (delivery.tensor) {
          EXPECT_TRUE(there.contains({index(delivery.from), index(*delivery.tensor)}));
          EXPECT_TRUE(there.emplace(index(delivery.to), index(*delivery.tensor)).second) << "sent twice";
        }
        scheduler.arrived(delivery);
      }
    };
    scheduler.begin();
    for (bool moved = true; moved;) {
      while (!scheduler.unused.empty() || !scheduler.deliveries.empty()) settle();
      moved = false;
      for (const DeviceId device : problem.machine().device_ids()) {
        const auto op = scheduler.next(device);
        if (!op) continue;
        moved = true;
        ++done;
        EXPECT_EQ(plan.device(*op), device);
        for (const TensorId input : graph.inputs(*op)) EXPECT_TRUE(there.contains({index(device), index(input)}));
        for (const TensorId output : graph.outputs(*op)) there.emplace(index(device), index(output));
        scheduler.op_done(*op);
        settle();
      }
    }
    EXPECT_TRUE(scheduler.finished());
    EXPECT_EQ(done, graph.num_ops());
    for (const auto& [device, tensor] : there) {
      EXPECT_TRUE(graph.is_graph_output(static_cast<TensorId>(tensor))) << tensor << " on " << device;
    }
  }
}

}  // namespace
}  // namespace berth::exec
