// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/grouping.h"

#include <gtest/gtest.h>

#include <bit>

#include "machine/library.h"
#include "plan/toys.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

// "a b | c": groups in order, ops by name.
std::string grouping_text(const Problem& problem, const Grouping& grouping) {
  std::string text;
  for (std::uint32_t group = 0; group < grouping.size(); ++group) {
    if (group > 0) text += " |";
    for (const OpId op : problem.graph().ops()) {
      if (grouping.of(problem, op) == group) text += fmt::format(" {}", problem.graph().name(op));
    }
  }
  return text.empty() ? text : text.substr(1);
}

Grouping units_of(const Problem& problem) { return one_group_per_unit(problem); }

TEST(Grouping, UnitsAreTheFinest) {
  const Problem problem = toy_problem("w:param; a:1; w -> a -> u:1:update=w; w -> u", kTwoGpus);
  EXPECT_EQ(grouping_text(problem, units_of(problem)), "w u | a");
}

TEST(Grouping, ViewsJoinWhatTheyLookAt) {
  const Problem problem = toy_problem("a:1 -> v:view -> vv:view -> b:1; a -> b", kTwoGpus);
  EXPECT_EQ(grouping_text(problem, join_views(problem, units_of(problem))), "a v vv | b");
}

TEST(Grouping, AViewThatMayNotBeThereStaysAlone) {
  Constraints apart;
  apart.pins = {{OpId{0}, DeviceId{0}}, {OpId{1}, DeviceId{1}}};
  const Problem pinned = constrained_toy("a:1 -> v:view -> b:1", kTwoGpus, apart);
  EXPECT_EQ(grouping_text(pinned, join_views(pinned, units_of(pinned))), "a | v | b");
}

TEST(Grouping, OnlyConsumersTakeTheirProducersIn) {
  const Problem problem = toy_problem("w:param -> b:1; a:1 -> b -> c:1; b -> d:1; c -> e:1; d -> e", kTwoGpus);
  // b has two consumers until c and d are one with e.
  EXPECT_EQ(grouping_text(problem, join_only_consumers(problem, units_of(problem))), "w b a c d e");
  const GroupLimits limits{.work = to_picoseconds(3)};
  EXPECT_EQ(grouping_text(problem, join_only_consumers(problem, units_of(problem), limits)), "w b a | c d e");
}

TEST(Grouping, HeavyTensorsJoinFirstWithinTheLimit) {
  const Problem problem = toy_problem("a:1:1B -> b:1:5B -> c:1:9B -> d:1", kTwoGpus);
  EXPECT_EQ(grouping_text(problem, join_heavy_tensors(problem, units_of(problem), {.work = to_picoseconds(2)})),
            "a b | c d");
  EXPECT_EQ(grouping_text(problem, join_heavy_tensors(problem, units_of(problem), {.work = to_picoseconds(3)})),
            "a | b c d");
}

TEST(Grouping, ResidentBytesAreLimitedToo) {
  const Problem problem = toy_problem("w:param:6B -> a:1 -> b:1; v:param:6B -> b", kTwoGpus);
  EXPECT_EQ(grouping_text(problem, join_only_consumers(problem, units_of(problem), {.resident = 8})),
            "w | a b v");  // from the sink; w would make 12
}

TEST(Grouping, EqualLabelsJoinUnlessWorkLosesADevice) {
  const Problem problem = toy_problem("a:1; b:1; c:-/1/1; d:1", kTwoGpus);
  const std::vector<std::uint32_t> labels{0, 0, 0, 1};
  EXPECT_EQ(grouping_text(problem, join_equal_labels(problem, units_of(problem), labels)), "a b | c | d");
}

TEST(Grouping, GradientsGoWithTheirForwardOps) {
  const auto graph = std::make_shared<const Graph>(build_zoo_model("rnnlm,unroll=3").value());
  const auto machine = std::make_shared<const Machine>(builtin_machine("k40x2").value());
  const Problem problem = make_problem(graph, machine).value();
  const Grouping grouping = join_gradients(problem, units_of(problem));
  std::size_t gradients = 0;
  for (const OpId op : graph->ops()) {
    const OpId forward = graph->forward_of(op);
    if (forward == kNoOp || (problem.allowed(op) & problem.allowed(forward)) == 0) continue;
    ++gradients;
    EXPECT_EQ(grouping.of(problem, op), grouping.of(problem, forward)) << graph->name(op);
  }
  EXPECT_GT(gradients, 20U);
  const Grouping tight = join_gradients(problem, units_of(problem), {.work = 1});
  EXPECT_GT(tight.size(), grouping.size());
}

// On random problems: every group keeps a device, coarser passes never split, members and plans agree.
TEST(Grouping, PassesCombine) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    const Grouping fine = join_views(problem, units_of(problem));
    const Grouping coarse = join_gradients(problem, join_only_consumers(problem, fine));
    std::vector<DeviceId> devices;
    for (const DeviceSet allowed : coarse.allowed) {
      ASSERT_NE(allowed, 0U);
      devices.push_back(DeviceId(std::countr_zero(allowed)));
    }
    const Plan plan = plan_from_groups(problem, coarse, devices);
    EXPECT_FALSE(verify(problem, plan));
    const GroupMembers members = list_members(coarse);
    std::size_t listed = 0;
    for (std::uint32_t group = 0; group < coarse.size(); ++group) {
      for (const std::uint32_t unit : members.of(group)) EXPECT_EQ(coarse.of_unit[unit], group);
      listed += members.of(group).size();
    }
    EXPECT_EQ(listed, problem.num_units());
    for (std::uint32_t a = 0; a + 1 < problem.num_units(); ++a) {
      if (fine.of_unit[a] == fine.of_unit[a + 1]) {
        EXPECT_EQ(coarse.of_unit[a], coarse.of_unit[a + 1]);
      }
    }
  }
}

}  // namespace
}  // namespace berth
