// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "report/crossings.h"
#include "report/explain_op.h"
#include "report/moves.h"
#include "report/path_summary.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth::report {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

OpId op_named(const Problem& problem, std::string_view name) {
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().name(op) == name) return op;
  }
  ADD_FAILURE() << name;
  return kNoOp;
}

// a runs 0-2 on device 0, is sent 2-3, c runs 3-6 on device 1; b runs 2-5 on device 0. The step ends with c.
struct Fork {
  Problem problem = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  Plan plan = toy_plan(problem, "a@0 b@0 c@1");
  Timeline timeline = simulate_timeline(problem, plan);
  std::vector<CriticalStep> path = critical_path(problem, plan, timeline);
};

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

TEST(Crossings, TheCostliestComesFirstWithWhatItBuys) {
  const Fork fork;
  const auto crossings = costliest_crossings(fork.problem, fork.plan, fork.timeline, fork.path, 10);
  ASSERT_EQ(crossings.size(), 1U);
  EXPECT_EQ(crossings[0].sending, kSecond);
  EXPECT_EQ(crossings[0].critical, kSecond);
  EXPECT_EQ(crossings[0].users, 1U);
  Mover mover(fork.problem, fork.plan);
  // Either c goes to a, and the step takes 8 s, or a goes to c, and b starts at 3 s and ends at 6 s.
  const auto other = without(fork.problem, fork.plan, crossings[0], mover);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->op, op_named(fork.problem, "a"));
  EXPECT_EQ(other->step_time, 6 * kSecond);
}

TEST(ExplainOp, EveryDeviceIsSimulated) {
  const Fork fork;
  const OpExplanation why = explain_op(fork.problem, fork.plan, op_named(fork.problem, "c"));
  ASSERT_EQ(why.alternatives.size(), 2U);
  EXPECT_EQ(why.alternatives[0].step_time, 8 * kSecond);  // with c on device 0
  EXPECT_EQ(why.alternatives[1].step_time, 6 * kSecond);  // as it is
  EXPECT_FALSE(why.reasons.empty());
}

TEST(ExplainOp, SaysHowMuchMemoryIsMissing) {
  const Problem problem =
      toy_problem("w:param:8B -> b:1; a:5 -> c:1", "device cpu0; device gpu memory=4B; link cpu0 gpu rate=1000");
  const Plan plan = toy_plan(problem, "w@cpu0 b@cpu0 a@cpu0 c@cpu0");
  const OpExplanation why = explain_op(problem, plan, op_named(problem, "w"));
  EXPECT_FALSE(why.alternatives[1].feasible);
  EXPECT_EQ(why.alternatives[1].over, 4);
  ASSERT_FALSE(why.to_move.empty());
  EXPECT_TRUE(why.to_move[0].starts_with("4 B more memory on gpu")) << why.to_move[0];
}

// w goes to gpu with its only reader, or its 100 bytes would be sent in every step; k stays with a, who reads it, too.
TEST(ExplainOp, AWeightGoesAlongWithItsOnlyReader) {
  const Problem problem = toy_problem("w:param:100B -> v:view:100B -> b:2/1; a:1 -> b; k:const:10B -> b; k -> a",
                                      "device cpu0; device gpu; link cpu0 gpu rate=1");
  const Plan plan = toy_plan(problem, "w@cpu0");
  const OpExplanation why = explain_op(problem, plan, op_named(problem, "b"));
  EXPECT_EQ(why.weights_along, (std::vector<OpId>{op_named(problem, "w"), op_named(problem, "v")}));
  EXPECT_EQ(to_seconds(why.alternatives[1].step_time), 12) << "10 s for k, then b";
  EXPECT_NE(std::ranges::find(why.reasons, "1 weight that nothing else reads goes along wherever it moves (100 B)"),
            why.reasons.end());
}

// The claim that matters: what explain says about a move is what a simulation of the moved plan says.
TEST(Mover, MovesAreReSimulatedExactly) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 20);
    const Plan plan = random_plan(problem, rng);
    Mover mover(problem, plan);
    EXPECT_EQ(mover.now(), simulate(problem, plan));
    for (const OpId op : problem.graph().ops()) {
      for (const DeviceId device : problem.machine().device_ids()) {
        const std::array<OpId, 1> ops{op};
        const auto moved = mover.move(ops, device);
        if (!moved) continue;
        EXPECT_EQ(verify(problem, moved->plan), std::nullopt);
        EXPECT_EQ(moved->score.step_time, simulate(problem, moved->plan).step_time);
        EXPECT_EQ(moved->score.feasible, simulate(problem, moved->plan).feasible);
        for (const OpId other : mover.with_companions(ops)) EXPECT_EQ(moved->plan.device(other), device);
      }
    }
  }
}

}  // namespace
}  // namespace berth::report
