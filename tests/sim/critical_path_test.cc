// SPDX-License-Identifier: Apache-2.0
#include "sim/critical_path.h"

#include <gtest/gtest.h>

#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

std::string path_text(const Problem& problem, const Plan& plan) {
  std::string text;
  for (const CriticalStep& step : critical_path(problem, plan, simulate_timeline(problem, plan))) {
    constexpr const char* kWhy[] = {"start", "input", "device", "link"};
    if (!text.empty()) text += " | ";
    text +=
        fmt::format("{}{}{} {}-{} {}", problem.graph().name(step.op), step.is_transfer ? '>' : '@', index(step.device),
                    to_seconds(step.start), to_seconds(step.end), kWhy[static_cast<int>(step.why)]);
  }
  return text;
}

TEST(CriticalPath, FollowsTheTransferThatHeldTheLink) {
  const Problem problem = toy_problem("a:2 -> c:1; b:1 -> c", "2 devices, 3 s per edge");
  EXPECT_EQ(path_text(problem, toy_plan(problem, "a@0 b@0 c@1")),
            "a@0 0-2 start | a>1 2-5 input | b>1 5-8 link | c@1 8-9 input");
}

TEST(CriticalPath, FollowsTheOpThatHeldTheDevice) {
  const Problem problem = toy_problem("a:2; b:3; c:1", "1 devices");
  EXPECT_EQ(path_text(problem, toy_plan(problem, "")), "a@0 0-2 start | b@0 2-5 device | c@0 5-6 device");
}

TEST(CriticalPath, PassesThroughTimelessOps) {
  const Problem problem = toy_problem("a:2 -> v:view -> b:1", "1 devices");
  EXPECT_EQ(path_text(problem, toy_plan(problem, "")), "a@0 0-2 start | b@0 2-3 input");
}

// Whatever the problem: the path begins at 0, has no gap but the latency of a control edge, and ends with the step.
TEST(CriticalPath, HasNoGaps) {
  Rng rng(11);
  int gapless = 0;
  for (int round = 0; round < 400; ++round) {
    const Problem problem = random_problem(rng, 30);
    const Plan plan = random_plan(problem, rng);
    SCOPED_TRACE(round);
    const Timeline timeline = simulate_timeline(problem, plan);
    const auto path = critical_path(problem, plan, timeline);
    if (timeline.score.step_time == 0) continue;
    ASSERT_FALSE(path.empty());
    Picoseconds longest_control = 0;
    for (const DeviceId from : problem.machine().device_ids()) {
      for (const DeviceId to : problem.machine().device_ids()) {
        longest_control = std::max(longest_control, problem.control_latency(from, to));
      }
    }
    Picoseconds end = 0, gaps = 0;
    for (const CriticalStep& step : path) {
      gaps += step.start - end;
      EXPECT_GE(step.start, end);
      end = step.end;
    }
    gaps += timeline.score.step_time - end;
    EXPECT_LE(gaps, longest_control * static_cast<Picoseconds>(problem.graph().num_ops()));
    gapless += gaps == 0 ? 1 : 0;
  }
  EXPECT_GT(gapless, 100);
}

}  // namespace
}  // namespace berth
