// SPDX-License-Identifier: Apache-2.0
#include "report/moves.h"

#include <gtest/gtest.h>

#include <array>

#include "report/crossings.h"
#include "report/fork.h"
#include "sim/simulator.h"
#include "support/random_problem.h"

namespace berth::report {
namespace {

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

// a's 4 bytes take 4 s to the host and 4 s on; b's wait there for the second link: 1-5 to the host for a, 5-9 for b.
TEST(Crossings, AddUpHopsAndWaits) {
  const Problem problem = toy_problem("a:1:4B -> c:1; b:1:4B -> d:1",
                                      "device cpu; device g; device h; link g cpu rate=1; link cpu h rate=1");
  const Plan plan = toy_plan(problem, "a@g!1 b@g c@h d@h");
  const Timeline timeline = simulate_timeline(problem, plan);
  EXPECT_EQ(to_text(problem, timeline),
            "a@g 0-1 | a>h 1-5 | b@g 1-2 | a>h 5-9 | b>h 5-9 | b>h 9-13 | c@h 9-10 | d@h 13-14");
  const auto path = critical_path(problem, plan, timeline);
  const auto all = costliest_crossings(problem, plan, timeline, path, 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(problem.graph().name(problem.graph().producer(all[0].tensor)), "b") << "8 s on the path, a's first hop 4 s";
  EXPECT_EQ(all[0].critical, 8 * kSecond);
  EXPECT_EQ(all[0].sending, 8 * kSecond);
  EXPECT_EQ(all[0].waiting, 3 * kSecond) << "made at 2 s, sent at 5 s";
  EXPECT_EQ(all[1].critical, 4 * kSecond);
  EXPECT_EQ(all[1].sending, 8 * kSecond);
  EXPECT_EQ(all[1].waiting, 0);
  EXPECT_EQ(all[1].bytes, 4);
  EXPECT_EQ(index(all[1].from), 1U);
  EXPECT_EQ(index(all[1].to), 2U);
  EXPECT_EQ(costliest_crossings(problem, plan, timeline, path, 1).size(), 1U);
}

// Neither is on the path of z: the longer one comes first. Both users of a's output on device 1 count.
TEST(Crossings, BeyondThePathTheLongestComesFirst) {
  const Problem problem = toy_problem("a:1:2B -> b:1; a -> c:1; d:1:5B -> e:1; z:99", "3 devices, 1 s per byte");
  const Plan plan = toy_plan(problem, "a@0 b@1 c@1 d@0 e@1 z@2");
  const Timeline timeline = simulate_timeline(problem, plan);
  const auto all = costliest_crossings(problem, plan, timeline, critical_path(problem, plan, timeline), 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].bytes, 5);
  EXPECT_EQ(all[0].users, 1U);
  EXPECT_EQ(all[1].bytes, 2);
  EXPECT_EQ(all[1].users, 2U);
}

// a cannot go to device 1, so both readers go to device 0; where they cannot either, there is no way.
TEST(Crossings, AreDoneWithoutInTheWayThatIsAllowed) {
  const auto other = [](const char* graph) {
    const Problem problem = toy_problem(graph, "2 devices, 1 s per edge");
    const Plan plan = toy_plan(problem, "a@0 b@1 c@1");
    const Timeline timeline = simulate_timeline(problem, plan);
    const auto all = costliest_crossings(problem, plan, timeline, critical_path(problem, plan, timeline), 1);
    Mover mover(problem, plan);
    return without(problem, plan, all.at(0), mover);
  };
  const auto readers = other("a:2/- -> b:1; a -> c:1");
  ASSERT_TRUE(readers);
  EXPECT_EQ(index(readers->op), 1U);
  EXPECT_EQ(index(readers->to), 0U);
  EXPECT_EQ(readers->ops, 2U);
  EXPECT_EQ(readers->step_time, 4 * kSecond);
  const auto producer = other("a:2 -> b:-/1; a -> c:1");
  ASSERT_TRUE(producer);
  EXPECT_EQ(index(producer->op), 0U);
  EXPECT_EQ(index(producer->to), 1U);
  EXPECT_EQ(producer->ops, 1U);
  EXPECT_FALSE(other("a:2/- -> b:-/1; a -> c:1"));
}

std::string names_of_ops(const Problem& problem, const std::vector<OpId>& ops) {
  std::string text;
  for (const OpId op : ops) text += fmt::format("{} ", problem.graph().name(op));
  return text;
}

// b is colocated with d, d is fused with c: they all go with b, and nobody else.
TEST(Mover, CompanionsAreThoseOfGroupsAndFusions) {
  const Problem problem = toy_problem("a:1 -> b:1:group=g; c:1 -> d:1:group=g; e:1", "2 devices");
  const Plan plan = toy_plan(problem, "a@0 {c d}");
  const Mover mover(problem, plan);
  EXPECT_EQ(names_of_ops(problem, mover.with_companions(std::array{op_named(problem, "b")})), "b c d ");
  EXPECT_EQ(names_of_ops(problem, mover.with_companions(std::array{op_named(problem, "e")})), "e ");
  const Plan moved = mover.placed(std::array{op_named(problem, "b")}, DeviceId{1}).value();
  EXPECT_EQ(moved.device_of, toy_plan(problem, "a@0 b@1 c@1 d@1 e@0").device_of);
  EXPECT_EQ(moved.fusions, plan.fusions);
}

TEST(Mover, RefusesWhereOneOfThemMayNotBe) {
  const Problem problem = toy_problem("b:1:group=g; d:1/-:group=g; e:1", "2 devices");
  const Plan plan = toy_plan(problem, "b@0");
  const Mover mover(problem, plan);
  const auto refused = mover.placed(std::array{op_named(problem, "b")}, DeviceId{1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "'b' may only be on 0");
  EXPECT_TRUE(mover.placed(std::array{op_named(problem, "e")}, DeviceId{1}).ok());
}

// w is read by b alone, k by b and c: only if both move does k go along.
TEST(Mover, WeightsGoAlongWithAllOfTheirReaders) {
  const Problem problem = toy_problem("w:param:8B -> b:1; k:param:8B -> b; k -> c:1", "2 devices");
  const Plan plan = toy_plan(problem, "w@0");
  const Mover mover(problem, plan);
  const OpId b = op_named(problem, "b"), c = op_named(problem, "c");
  EXPECT_EQ(names_of_ops(problem, mover.weights_along(std::array{b})), "w ");
  EXPECT_EQ(names_of_ops(problem, mover.weights_along(std::array{b, c})), "w k ");
  EXPECT_EQ(names_of_ops(problem, mover.weights_along(std::array{c})), "");
  EXPECT_EQ(mover.placed(std::array{b}, DeviceId{1}).value().device_of, toy_plan(problem, "w@1 b@1").device_of);
}

// A move does not change what the plan is worth as it stands.
TEST(Mover, RemembersThePlanAsItIs) {
  const Fork fork;
  Mover mover(fork.problem, fork.plan);
  const auto moved = mover.move(std::array{op_named(fork.problem, "c")}, DeviceId{0});
  EXPECT_EQ(moved->score.step_time, 8 * kSecond);
  EXPECT_EQ(mover.now().step_time, 6 * kSecond);
  EXPECT_EQ(fork.plan, toy_plan(fork.problem, "a@0 b@0 c@1"));
}

}  // namespace
}  // namespace berth::report
