// SPDX-License-Identifier: Apache-2.0
#include "report/path_summary.h"

#include <gtest/gtest.h>

#include <numeric>

#include "report/fork.h"
#include "sim/simulator.h"
#include "support/random_problem.h"

namespace berth::report {
namespace {

TEST(PathSummary, AddsUpToTheStep) {
  const Fork fork;
  const PathSummary sums = summarise(fork.problem, fork.path);
  EXPECT_EQ(sums.on_device, (std::vector<Picoseconds>{2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(sums.compute, 5 * kSecond);
  EXPECT_EQ(sums.transfer, 1 * kSecond);
  EXPECT_EQ(sums.total(), fork.timeline.score.step_time);
  EXPECT_EQ(sums.for_data, 6 * kSecond);
  EXPECT_EQ(sums.for_device + sums.for_link, 0);
}

// b and c on one device: b waits for a, c waits until b has left the device.
TEST(PathSummary, TellsWaitingForADeviceFromWaitingForData) {
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  const Plan plan = toy_plan(problem, "a@0 b@0 c@0");
  const Timeline timeline = simulate_timeline(problem, plan);
  const PathSummary sums = summarise(problem, critical_path(problem, plan, timeline));
  EXPECT_EQ(sums.for_device, 3 * kSecond);  // b, for which c waits
  EXPECT_EQ(sums.for_data, 5 * kSecond);    // a, for which b waits, and c at the end
}

TEST(PathSummary, SaysWhatLimits) {
  const Fork fork;
  const auto sentences = what_limits(fork.problem, fork.timeline.score, summarise(fork.problem, fork.path), 0);
  ASSERT_GE(sentences.size(), 3U);
  EXPECT_EQ(sentences[0], "the critical path (6.00 s) is 50 % work on 1, 33 % work on 0, 17 % transfers");
  EXPECT_TRUE(sentences[1].starts_with("100 % of the path is a chain of results")) << sentences[1];
}

PathSummary summary_of(const Problem& problem, const Plan& plan) {
  return summarise(problem, critical_path(problem, plan, simulate_timeline(problem, plan)));
}

std::vector<std::string> limits_of(const Problem& problem, const Plan& plan, Picoseconds lower_bound = 0) {
  return what_limits(problem, simulate(problem, plan), summary_of(problem, plan), lower_bound);
}

// Both results go over one link, the second waits until the first is there: a 0-1, b 1-2, sent 1-5 and 5-9, d 9-10.
TEST(PathSummary, TellsWaitingForALink) {
  const Problem problem = toy_problem("a:1:4B -> c:1; b:1:4B -> d:1", "2 devices, 1 s per byte");
  const Plan plan = toy_plan(problem, "a@0!1 b@0 c@1 d@1");
  const PathSummary sums = summary_of(problem, plan);
  EXPECT_EQ(sums.total(), 10 * kSecond);
  EXPECT_EQ(sums.for_link, 4 * kSecond) << "the first transfer, for which the second waits";
  EXPECT_EQ(sums.for_data, 6 * kSecond);
  EXPECT_EQ(sums.transfers, 2U);
  EXPECT_EQ(sums.ops, 2U);
  EXPECT_EQ(sums.on_channel[0], 8 * kSecond);
  EXPECT_EQ(sums.on_channel[1], 0);
}

// A signal of 1 s between the devices is on the path, and no transfer.
TEST(PathSummary, SignalsAreLatency) {
  const Problem problem = toy_problem("a:2 => b:3", "2 devices, 1 s per edge");
  const PathSummary sums = summary_of(problem, toy_plan(problem, "a@0 b@1"));
  EXPECT_EQ(sums.latency, kSecond);
  EXPECT_EQ(sums.transfer, 0);
  EXPECT_EQ(sums.transfers, 0U);
  EXPECT_EQ(sums.total(), 6 * kSecond);
  EXPECT_EQ(sums.for_data, 6 * kSecond);
}

TEST(PathSummary, AddsUpToTheStepOfAnyPlan) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 30);
    const Plan plan = random_plan(problem, rng);
    const PathSummary sums = summary_of(problem, plan);
    EXPECT_EQ(sums.total(), simulate(problem, plan).step_time);
    EXPECT_EQ(sums.for_data + sums.for_device + sums.for_link, sums.total());
    const auto sum = [](const auto& times) { return std::accumulate(times.begin(), times.end(), Picoseconds{}); };
    EXPECT_EQ(sum(sums.on_device), sums.compute);
    EXPECT_EQ(sum(sums.on_channel), sums.transfer);
    EXPECT_EQ(sum(sums.of_class), sums.compute);
  }
}

TEST(WhatLimits, ABusyDevice) {
  const Problem problem = toy_problem("a:1; b:2; c:3", "2 devices");
  const auto sentences = limits_of(problem, toy_plan(problem, "a@0 b@0 c@0"));
  EXPECT_EQ(sentences[0], "the critical path (6.00 s) is 100 % work on 0");
  EXPECT_EQ(sentences[1],
            "50 % of the path is there because a device was busy: less work or more devices would shorten it");
  EXPECT_EQ(
      sentences[2],
      "the busiest device is 0, 100 % of the step; evenly spread over the 2 of its kind its work and theirs would "
      "take 3.00 s each");
}

TEST(WhatLimits, ABusyLink) {
  const Problem problem = toy_problem("a:0.1:9B -> c:0.1; b:0.1:8B -> d:0.1", "2 devices, 1 s per byte");
  const auto sentences = limits_of(problem, toy_plan(problem, "a@0!1 b@0 c@1 d@1"));
  EXPECT_TRUE(sentences[0].starts_with("the critical path (17.2 s) is 99 % transfers")) << sentences[0];
  EXPECT_EQ(sentences[1],
            "52 % of the path is there because a link was busy: faster links or fewer transfers would shorten it");
}

// Lanes share the work of a device; devices of another kind do not count as its equals.
TEST(WhatLimits, TheBusiestDeviceByItsLanes) {
  const Problem problem = toy_problem("a:4/1; b:4/1; c:1/3", "device cpu lanes=2; device g; link cpu g");
  EXPECT_EQ(limits_of(problem, toy_plan(problem, "a@cpu b@cpu c@g"))[2],
            "the busiest device is cpu, 100 % of the step");
}

// 16 of 20 bytes, 30 of the pool's 40: the device is fuller. Memory without a limit is never full.
TEST(WhatLimits, TheFullestMemory) {
  const char* machine =
      "pool p 40B; device cpu memory=1152921504606846976B; device g memory=20B; device h pool=p; "
      "link cpu g; link cpu h; link g h";
  const Problem problem = toy_problem("v:param:99B; w:param:16B; x:param:30B; y:param:9B", machine);
  const auto memory = [&](const char* plan) { return limits_of(problem, toy_plan(problem, plan)).at(1); };
  EXPECT_EQ(memory("v@cpu w@g x@h y@cpu"), "memory is fullest on g: 16 B of 20 B (80 %)");
  EXPECT_EQ(memory("v@cpu w@g x@h y@h"), "memory is fullest on p: 39 B of 40 B (98 %)");
}

TEST(WhatLimits, TheLowerBoundWhereItIsMet) {
  const Problem problem = toy_problem("a:6", "2 devices");
  const Plan plan = toy_plan(problem, "a@0");
  constexpr const char* kMeets = "no plan can be faster: the step meets the lower bound";
  EXPECT_EQ(limits_of(problem, plan, 6 * kSecond).back(), kMeets);
  EXPECT_NE(limits_of(problem, plan, 6 * kSecond - 1).back(), kMeets);
  EXPECT_NE(limits_of(problem, plan, 0).back(), kMeets) << "0: none is known";
}

TEST(WhatLimits, NothingIsSaidOfAPathWithoutTime) {
  const Problem problem = toy_problem("w:param:4B", "2 devices");
  EXPECT_TRUE(limits_of(problem, toy_plan(problem, "w@0"))[0].starts_with("the busiest device is 0, 0 % of the step"));
}

}  // namespace
}  // namespace berth::report
