// SPDX-License-Identifier: Apache-2.0
#include "report/idle_time.h"

#include <gtest/gtest.h>

#include "report/fork.h"
#include "support/random_problem.h"

namespace berth::report {
namespace {

std::vector<IdleTime> idle_of(const Problem& problem, const Plan& plan) {
  return idle_time(problem, plan, simulate_timeline(problem, plan));
}

// Device 1 waits until a is made and sent; device 0 is done a second before the step is over.
TEST(IdleTime, TellsResultsTransfersAndTheEnd) {
  const Fork fork;
  const auto idle = idle_time(fork.problem, fork.plan, fork.timeline);
  EXPECT_EQ(idle[0], (IdleTime{.done = kSecond}));
  EXPECT_EQ(idle[1], (IdleTime{.results = 2 * kSecond, .transfers = kSecond}));
}

// a 0-3 and b 3-4 on device 0, sent 4-5, c 5-6 on device 1: b could have been first.
TEST(IdleTime, TellsABusyDevice) {
  const Problem problem = toy_problem("a:3; b:1 -> c:1", "2 devices, 1 s per edge");
  const auto idle = idle_of(problem, toy_plan(problem, "a@0!1 b@0 c@1"));
  EXPECT_EQ(idle[1], (IdleTime{.results = kSecond, .transfers = kSecond, .devices = 3 * kSecond}));
}

// a's result is sent 1-5, c's, made by 2, from 5 to 9, when d can start.
TEST(IdleTime, TellsABusyLink) {
  const Problem problem = toy_problem("a:1:4B -> d:1; c:1:4B -> d", "2 devices, 1 s per byte");
  const auto idle = idle_of(problem, toy_plan(problem, "a@0!1 c@0 d@1"));
  EXPECT_EQ(idle[1], (IdleTime{.results = kSecond, .transfers = 4 * kSecond, .links = 4 * kSecond}));
}

TEST(IdleTime, ASignalOnTheWayIsATransfer) {
  const Problem problem = toy_problem("a:2 => b:3", "2 devices, 1 s per edge");
  const auto idle = idle_of(problem, toy_plan(problem, "a@0 b@1"));
  EXPECT_EQ(idle[1], (IdleTime{.results = 2 * kSecond, .transfers = kSecond}));
}

TEST(IdleTime, AddsUpToTheStepWithTheBusyTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    if (!problem.machine().overlap()) continue;
    const Plan plan = random_plan(problem, rng);
    const Timeline timeline = simulate_timeline(problem, plan);
    const auto idle = idle_time(problem, plan, timeline);
    for (const DeviceId device : problem.machine().device_ids()) {
      EXPECT_EQ(idle[index(device)].total() + timeline.score.devices[index(device)].busy,
                timeline.score.step_time * problem.machine().device(device).lanes);
    }
  }
}

}  // namespace
}  // namespace berth::report
