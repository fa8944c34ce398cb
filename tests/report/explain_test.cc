// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

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

bool says(const std::vector<std::string>& sentences, std::string_view sentence) {
  return std::ranges::find(sentences, sentence) != sentences.end();
}

std::string all_of(const std::vector<std::string>& sentences) { return fmt::format("{}", fmt::join(sentences, "\n")); }

TEST(ExplainOp, SaysWhoIsNearAndHowFastItIs) {
  const Problem problem = toy_problem("a:1:4B -> c:4/2; b:1:6B -> c; c -> d:1; c -> e:1", "2 devices, 1 s per edge");
  const Plan plan = toy_plan(problem, "a@0 b@1 c@0 d@0 e@1");
  const auto reasons = explain_op(problem, plan, op_named(problem, "c")).reasons;
  EXPECT_TRUE(says(reasons, "1 of its 2 inputs are made on 0 (4 B); 6 B come from elsewhere")) << all_of(reasons);
  EXPECT_TRUE(says(reasons, "1 of the 2 users of its results are on 0")) << all_of(reasons);
  EXPECT_TRUE(says(reasons, "1 would run it in 2.00 s instead of 4.00 s")) << all_of(reasons);
  const auto of_d = explain_op(problem, plan, op_named(problem, "d")).reasons;
  EXPECT_TRUE(says(of_d, "its one input is made on 0 (1 B)")) << all_of(of_d);
  EXPECT_TRUE(says(of_d, "no device it may be on runs it faster (1.00 s)")) << all_of(of_d);
  const auto of_e = explain_op(problem, plan, op_named(problem, "e")).reasons;
  EXPECT_TRUE(says(of_e, "its one input is not made on 1 (1 B)")) << all_of(of_e);
  const auto of_b = explain_op(problem, plan, op_named(problem, "b")).reasons;
  EXPECT_TRUE(says(of_b, "the one user of its results is not on 1")) << all_of(of_b);
}

// The step takes 6 s; b on device 1 makes it 7 s. With c on 0 it is 8 s, and no link matters there.
TEST(ExplainOp, SaysWhatTheStepWouldBe) {
  const Fork fork;
  const auto of_c = explain_op(fork.problem, fork.plan, op_named(fork.problem, "c"));
  EXPECT_TRUE(says(of_c.reasons, "everywhere else the step takes longer, at least 2.00 s (on 0)"))
      << all_of(of_c.reasons);
  EXPECT_TRUE(
      says(of_c.to_move,
           "no link is fast enough: even with links that cost nothing the step would not be shorter with it on 0"))
      << all_of(of_c.to_move);
  const auto of_a = explain_op(fork.problem, fork.plan, op_named(fork.problem, "a"));
  EXPECT_TRUE(says(of_a.reasons, "the step would take as long with it on 1")) << all_of(of_a.reasons);
  const Plan poor = toy_plan(fork.problem, "a@0 b@0 c@0");
  const auto better_off = explain_op(fork.problem, poor, op_named(fork.problem, "c"));
  EXPECT_TRUE(says(better_off.reasons, "the plan could be better: on 1 the step would take 2.00 s less"))
      << all_of(better_off.reasons);
  EXPECT_TRUE(better_off.to_move.empty()) << "nothing need change";
}

// On device 1 b would take 1 s instead of 4, but its input 6 s to get there: with links twice as fast it is 1 + 3 + 1
// against 1 + 4, no better; with links four times as fast 1 + 1.5 + 1.
TEST(ExplainOp, SaysHowFastLinksWouldHaveToBe) {
  const Problem problem = toy_problem("a:1:6B -> b:4/1", "2 devices, 1 s per byte");
  const auto why = explain_op(problem, toy_plan(problem, "a@0 b@0"), op_named(problem, "b"));
  EXPECT_TRUE(says(why.to_move, "links 4x as fast: then 1 would be the better place")) << all_of(why.to_move);
}

TEST(ExplainOp, SaysWhatHoldsIt) {
  const Problem problem = toy_problem("a:1/-/1 -> b:1:group=g; c:1:group=g", "3 devices");
  const Plan plan = toy_plan(problem, "a@0");
  const auto of_a = explain_op(problem, plan, op_named(problem, "a"));
  EXPECT_TRUE(says(of_a.reasons, "it may only be on 0, 2: by its type or its times it can run on 0, 2"))
      << all_of(of_a.reasons);
  EXPECT_TRUE(of_a.alternatives[1].refused.has_value());
  EXPECT_FALSE(of_a.alternatives[2].refused.has_value());
  const auto of_b = explain_op(problem, plan, op_named(problem, "b"));
  EXPECT_EQ(of_b.companions, 1U);
  EXPECT_TRUE(
      says(of_b.reasons, "it must be where 1 other op are: they share a parameter, a constraint or a fused group"))
      << all_of(of_b.reasons);
}

TEST(ExplainOp, InputsAreWhereInputsAre) {
  const ToyGraph toy = toy_graph("x:input:4B -> a:1");
  ExplicitCosts costs{.time_s = {{0, 0}, {1, 1}}, .compute_s = {}};
  const Problem problem =
      make_problem(toy.graph, toy_machine("device cpu; device g; link cpu g"), costs, Constraints{}).value();
  const auto why = explain_op(problem, toy_plan(problem, "a@g"), op_named(problem, "x"));
  EXPECT_TRUE(says(why.reasons, "it is an input, and inputs are on cpu unless --pin says otherwise"))
      << all_of(why.reasons);
}

}  // namespace
}  // namespace berth::report
