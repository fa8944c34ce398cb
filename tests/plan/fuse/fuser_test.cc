// SPDX-License-Identifier: Apache-2.0
// Fusers: cases on paper, and random graphs against check_fusions(), the rules for kinds and the reference simulator.
#include "plan/fuse/fuser.h"

#include <gtest/gtest.h>

#include "plan/fuse/cluster_times.h"
#include "problem/fusion.h"
#include "sim/simulator.h"
#include "support/compare_timelines.h"
#include "support/random_problem.h"
#include "support/reference_simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// An asynchronous device that moves 1 B/s and launches in 1 s, and a second one.
constexpr std::string_view kSlowGpus = "device g0 launch=1 rate=1; device g1 launch=1 rate=1; link g0 g1 latency=1";

// "ab cd": the groups, members by name.
std::string groups_text(const Problem& problem, const FusionGroups& groups) {
  std::string text;
  for (const auto& group : groups) {
    if (!text.empty()) text += ' ';
    for (const OpId op : group) text += problem.graph().name(op);
  }
  return text;
}

std::string by_priority(std::string_view graph, std::string_view plan, std::vector<double> priorities,
                        Joining joining = Joining::kAllOrNone) {
  const Problem problem = toy_problem(graph, kSlowGpus);
  priorities.resize(problem.graph().num_ops(), -1.0);
  return groups_text(problem, fuse_by_priority(problem, toy_plan(problem, plan), priorities, joining));
}

TEST(FuseByPriority, NegativePrioritiesFuseNothing) {
  EXPECT_EQ(by_priority("a:1 -> b:1 -> c:1", "", {-1, -1, -1}), "");
  EXPECT_EQ(by_priority("a:1 -> b:1 -> c:1", "", {0, -1, -1}), "ab");
  EXPECT_EQ(by_priority("a:1 -> b:1 -> c:1", "", {0, 0, 0}), "abc");
}

TEST(FuseByPriority, AProducerJoinsAllItsConsumersOrNone) {
  EXPECT_EQ(by_priority("a:1 -> b:1; a -> c:1", "", {1}), "abc");
  // Through m, which stays outside, a and c would wait for each other.
  const std::string_view detour = "a:1 -> b:1 -> m:1 -> c:1; a -> c; w:param -> m";
  EXPECT_EQ(by_priority(detour, "m@g1", {1}), "");
  EXPECT_EQ(by_priority(detour, "m@g1", {1}, Joining::kAnyLegal), "ab");
  EXPECT_EQ(by_priority(detour, "", {1, 1, 1}), "bmc");  // a comes first and may not
}

TEST(FuseByPriority, OtherDevicesAreLeftOut) {
  EXPECT_EQ(by_priority("a:1 -> b:1; a -> c:1", "c@g1", {1}), "ab");
  EXPECT_EQ(by_priority("a:1 -> b:1", "b@g1", {1}), "");
}

// p, x and q, y are legal each by itself; both would wait for each other, through m and n.
TEST(FuseByPriority, TheHigherPriorityGoesFirstThenTheLowerOp) {
  const std::string_view cross = "p:1 -> x:1; q:1 -> y:1; p -> m:1 -> y; q -> n:1 -> x";
  EXPECT_EQ(by_priority(cross, "m@g1 n@g1", {2, -1, 1}), "px");
  EXPECT_EQ(by_priority(cross, "m@g1 n@g1", {1, -1, 2}), "qy");
  EXPECT_EQ(by_priority(cross, "m@g1 n@g1", {1, -1, 1}), "px");
}

TEST(FuseByPriority, ViewsAloneMakeNoGroup) {
  EXPECT_EQ(by_priority("a:1 -> v:view", "", {1}), "");
  EXPECT_EQ(by_priority("a:1 -> v:view -> b:1", "", {1}), "");
  EXPECT_EQ(by_priority("a:1 -> v:view -> b:1", "", {1, 1}), "avb");
}

TEST(FuseByPriority, ControlEdgesCloseCyclesToo) {
  EXPECT_EQ(by_priority("a:1 -> b:1; a => m:1 => b", "m@g1", {1}), "");
  EXPECT_EQ(by_priority("a:1 -> b:1; a => m:1 -> c:1", "m@g1", {1}), "ab");
}

// abc: 4 B in, 2 B + 2 B out, 9 s instead of 30. With d: the larger of 31 s of arithmetic and 9 s of moving, instead of
// 9 + 30.
TEST(FuseByTime, JoinsWhatSavesMost) {
  const Problem problem = toy_problem(
      "x:input:4B -> a:10:8B:compute=0 -> b:10:2B:compute=0; a -> c:10:2B:compute=1 -> d:30:4B:compute=30:out; b -> d",
      kSlowGpus);
  const Fuser fuser(problem);
  const Plan plan = toy_plan(problem, "");
  EXPECT_EQ(groups_text(problem, fuser.by_time(plan)), "abcd");
  Plan fused = plan;
  fused.fusions = fuser.by_time(plan);
  EXPECT_EQ(to_seconds(simulate(problem, plan).step_time), 60);
  EXPECT_EQ(to_seconds(simulate(problem, fused).step_time), 31);
}

TEST(FuseByTime, LeavesApartWhatWouldTakeLonger) {
  // a reads 100 B, of which its time says nothing: as a group it would move them, in 100 s.
  const Problem problem = toy_problem("x:input:100B -> a:3:1B:compute=0 -> b:3:1B:compute=0:out", kSlowGpus);
  const Fuser fuser(problem);
  EXPECT_EQ(groups_text(problem, fuser.by_time(toy_plan(problem, ""))), "");
  EXPECT_EQ(groups_text(problem, fuser.by_bytes(toy_plan(problem, ""))), "");
}

TEST(FuseByTime, ArithmeticIsNotSaved) {
  const Problem problem = toy_problem("a:3 -> b:3 -> c:3", kSlowGpus);
  EXPECT_EQ(groups_text(problem, Fuser(problem).by_time(toy_plan(problem, ""))), "");
}

// As above, one of two pairs: that of the larger tensor, or of the one that need not be written either.
TEST(FuseByBytes, TheMostBytesGoFirst) {
  const auto fused = [](std::string_view sizes) {
    const Problem problem = toy_problem(fmt::format("{}; p -> m:1 -> y; q -> n:1 -> x", sizes), kSlowGpus);
    return groups_text(problem, Fuser(problem).by_bytes(toy_plan(problem, "m@g1 n@g1")));
  };
  EXPECT_EQ(fused("p:90:5B:compute=0 -> x:90:compute=0; q:90:9B:compute=0 -> y:90:compute=0"), "qy");
  EXPECT_EQ(fused("p:90:9B:compute=0 -> x:90:compute=0; q:90:5B:compute=0 -> y:90:compute=0"), "px");
}

TEST(Fuser, StopsWhenAsked) {
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += fmt::format("a{}:9:compute=0 -> b{}:9:compute=0; ", i, i);
  const Problem many = toy_problem(wide, kSlowGpus);
  const auto at_once = [] { return true; };
  EXPECT_EQ(Fuser(many).by_time(toy_plan(many, "")).size(), 2000);
  EXPECT_LT(Fuser(many).by_time(toy_plan(many, ""), at_once).size(), 300);
  EXPECT_LT(Fuser(many).by_bytes(toy_plan(many, ""), at_once).size(), 300);
  const std::vector<double> ones(many.graph().num_ops(), 1.0);
  EXPECT_LT(Fuser(many).by_priority(toy_plan(many, ""), ones, Joining::kAllOrNone, at_once).size(), 300);
}

std::vector<double> random_priorities(Rng& rng, std::size_t count) {
  std::vector<double> priorities(count);
  for (double& priority : priorities) priority = static_cast<double>(rng.between(-1, 3));
  return priorities;
}

std::vector<FusionGroups> all_fusions(const Fuser& fuser, const Plan& plan, Rng& rng) {
  const std::vector<double> priorities = random_priorities(rng, plan.device_of.size());
  return {fuser.by_priority(plan, priorities), fuser.by_priority(plan, priorities, Joining::kAnyLegal),
          fuser.by_bytes(plan), fuser.by_time(plan)};
}

// Groups of all fusers pass verify() and the rules, and the simulator agrees with the reference about them.
TEST(Fuser, GroupsAreLegalOnRandomProblems) {
  std::size_t groups = 0, largest = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(seed % 10 == 0 ? 300 : 40));
    Plan plan = random_plan(problem, rng);
    plan.fusions.clear();
    const FusionRules rules(problem.graph());
    const Fuser fuser(problem);
    for (const FusionGroups& fusions : all_fusions(fuser, plan, rng)) {
      plan.fusions = fusions;
      const auto broken = verify(problem, plan);
      ASSERT_FALSE(broken) << "seed " << seed << ": " << broken->message;
      for (const auto& group : fusions) {
        ASSERT_TRUE(rules.allow(group)) << "seed " << seed;
        ASSERT_TRUE(has_two_kernels(problem, plan, group)) << "seed " << seed;
        largest = std::max(largest, group.size());
      }
      groups += fusions.size();
      if (seed % 3 != 0) continue;
      const auto found = difference(problem, simulate_timeline(problem, plan), reference_simulate(problem, plan));
      ASSERT_FALSE(found) << "seed " << seed << ": " << *found << "\n" << describe(problem, plan);
    }
  }
  EXPECT_GT(groups, 2000U);
  EXPECT_GT(largest, 5U);
}

// On graphs this small no search for cycles gives up: neighbours are joined if and only if check_fusions() has nothing
// against the groups as they would be.
TEST(Clusters, JoinWhateverIsLegalOnSmallGraphs) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(25));
    const Graph& graph = problem.graph();
    Plan plan = random_plan(problem, rng);
    plan.fusions.clear();
    const FusionRules rules(graph);
    Clusters clusters(graph, close_order(graph));
    for (const OpId producer : graph.ops()) {
      for (const TensorId tensor : graph.outputs(producer)) {
        for (const OpId consumer : graph.consumers(tensor)) {
          const std::array pair{clusters.of(producer), clusters.of(consumer)};
          if (pair[0] == pair[1] || !rules.may_fuse(producer) || !rules.may_fuse(consumer)) continue;
          if (plan.device(producer) != plan.device(consumer)) continue;
          Plan wanted = plan;
          wanted.fusions = clusters.groups();
          std::erase_if(wanted.fusions, [&](const auto& group) {
            return clusters.of(group.front()) == pair[0] || clusters.of(group.front()) == pair[1];
          });
          std::vector<OpId> both(clusters.ops(pair[0]).begin(), clusters.ops(pair[0]).end());
          both.insert(both.end(), clusters.ops(pair[1]).begin(), clusters.ops(pair[1]).end());
          wanted.fusions.push_back(both);
          const bool legal = !check_fusions(graph, wanted).has_value();
          ASSERT_EQ(clusters.join(pair), legal) << "seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth
