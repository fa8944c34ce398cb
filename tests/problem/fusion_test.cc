// SPDX-License-Identifier: Apache-2.0
// Legality of fusion groups: by hand, and on random graphs against a search for paths that leave a group and return.
#include "problem/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"
#include "graph/builder.h"
#include "problem/demand_parts.h"
#include "support/toy.h"

namespace berth {
namespace {

// Groups as words: {"a b", "c d"}. All ops on device 0 but for those named in `elsewhere`.
Plan plan_with(const Graph& graph, std::vector<std::vector<std::string_view>> groups,
               std::vector<std::string_view> elsewhere = {}) {
  Plan plan;
  plan.device_of.assign(graph.num_ops(), DeviceId{0});
  for (const auto name : elsewhere) plan.device_of[index(op_named(graph, name))] = DeviceId{1};
  for (const auto& group : groups) {
    plan.fusions.emplace_back();
    for (const auto name : group) plan.fusions.back().push_back(op_named(graph, name));
  }
  return plan;
}

std::string fusion_verdict(std::string_view text, std::vector<std::vector<std::string_view>> groups,
                           std::vector<std::string_view> elsewhere = {}) {
  const ToyGraph toy = toy_graph(text);
  const auto error = check_fusions(*toy.graph, plan_with(*toy.graph, std::move(groups), std::move(elsewhere)));
  return error ? error->message : "legal";
}

TEST(Fusion, ChainsAndBranchesAreLegal) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1", {}), "legal");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1", {{"a", "b"}}), "legal");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1", {{"c", "a", "b"}}), "legal");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1; a -> c:1", {{"b", "c"}}), "legal");  // no edge between them
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1 -> d:1", {{"a", "b"}, {"c", "d"}}), "legal");
  EXPECT_EQ(fusion_verdict("x:input -> v:view -> b:1", {{"v", "b"}}), "legal");
}

TEST(Fusion, GroupsMustBeConvexOverData) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1", {{"a", "c"}}),
            "the fusion group of 'a' would wait for itself: op 'b' outside it lies between its members");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1 -> d:1; a -> d", {{"a", "d"}}),
            "the fusion group of 'a' would wait for itself: op 'c' outside it lies between its members");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1; a -> c", {{"a", "b", "c"}}), "legal");
}

TEST(Fusion, GroupsMustBeConvexOverControl) {
  EXPECT_EQ(fusion_verdict("a:1 => b:1 => c:1", {{"a", "c"}}),
            "the fusion group of 'a' would wait for itself: op 'b' outside it lies between its members");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 => c:1; a -> c", {{"a", "c"}}),
            "the fusion group of 'a' would wait for itself: op 'b' outside it lies between its members");
  EXPECT_EQ(fusion_verdict("a:1 => b:1 => c:1", {{"a", "b", "c"}}), "legal");
}

// The control edge that the builder adds from a reader to the update counts.
TEST(Fusion, UpdatesWaitForReadersOutsideTheGroup) {
  EXPECT_EQ(fusion_verdict("w:param -> a:1 -> g:1 -> u:1:update=w; a -> r:1; w -> r", {{"a", "u"}}),
            "the fusion group of 'a' would wait for itself: op 'r' outside it lies between its members");
  EXPECT_EQ(fusion_verdict("w:param -> a:1 -> g:1 -> u:1:update=w", {{"g", "u"}}), "legal");
}

TEST(Fusion, GroupsMustNotWaitForEachOther) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1; c:1 -> d:1", {{"a", "d"}, {"b", "c"}}),
            "the fusion groups of 'a' and 'b' would wait for each other");
  EXPECT_EQ(fusion_verdict("a:1 => b:1; c:1 => d:1", {{"a", "d"}, {"b", "c"}}),
            "the fusion groups of 'a' and 'b' would wait for each other");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1; c:1 -> d:1", {{"a", "c"}, {"b", "d"}}), "legal");
}

TEST(Fusion, GroupsOnTwoDevicesMustNotWaitForEachOther) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1; c:1 -> d:1", {{"a", "d"}, {"b", "c"}}, {"b", "c"}),
            "the fusion groups of 'a' and 'b' would wait for each other");
}

TEST(Fusion, ThreeGroupsInARing) {
  const std::string told = fusion_verdict("a:1 -> b:1; c:1 -> d:1; e:1 -> f:1", {{"b", "c"}, {"d", "e"}, {"f", "a"}});
  EXPECT_TRUE(told.ends_with("would wait for each other")) << told;
}

// A legal group behind an illegal one is stuck as well, but it is not the one to blame.
TEST(Fusion, BlamesTheGroupOnTheCycle) {
  EXPECT_EQ(fusion_verdict("x:1 -> y:1; a:1 -> b:1 -> c:1 -> x", {{"x", "y"}, {"a", "c"}}),
            "the fusion group of 'a' would wait for itself: op 'b' outside it lies between its members");
}

TEST(Fusion, MembersMustBeComputeOrViews) {
  EXPECT_EQ(fusion_verdict("x:param -> a:1", {{"a", "x"}}), "op 'x' has the role parameter and cannot be fused");
  EXPECT_EQ(fusion_verdict("x:buffer -> a:1", {{"a", "x"}}), "op 'x' has the role buffer and cannot be fused");
  EXPECT_EQ(fusion_verdict("x:const -> a:1", {{"a", "x"}}), "op 'x' has the role constant and cannot be fused");
  EXPECT_EQ(fusion_verdict("x:input -> a:1", {{"a", "x"}}), "op 'x' has the role input and cannot be fused");
}

TEST(Fusion, MembersMustShareADevice) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1", {{"a", "b"}}, {"b"}), "ops 'a' and 'b' are fused but on two devices");
}

TEST(Fusion, GroupsMustNotOverlap) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1 -> c:1", {{"a", "b"}, {"b", "c"}}), "op 'b' is fused twice");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1", {{"a", "a"}}), "op 'a' is fused twice");
}

TEST(Fusion, GroupsNeedTwoOps) {
  EXPECT_EQ(fusion_verdict("a:1 -> b:1", {{"a"}}), "a fusion group has 1 ops; it needs at least two");
  EXPECT_EQ(fusion_verdict("a:1 -> b:1", {{}}), "a fusion group has 0 ops; it needs at least two");
}

TEST(Fusion, GroupsNameOpsThatAreThere) {
  const ToyGraph toy = toy_graph("a:1 -> b:1");
  Plan plan = plan_with(*toy.graph, {{"a", "b"}});
  plan.fusions[0][1] = kNoOp;
  EXPECT_EQ(check_fusions(*toy.graph, plan)->message, "a fusion group names op 4294967295 of 2");
}

TEST(Fusion, LeadersAreTheLowestMembers) {
  const ToyGraph toy = toy_graph("a:1 -> b:1 -> c:1 -> d:1 -> e:1");
  const auto leaders = fusion_leaders(*toy.graph, plan_with(*toy.graph, {{"c", "b"}, {"e", "d"}}));
  EXPECT_EQ(leaders, (std::vector<OpId>{OpId{0}, OpId{1}, OpId{1}, OpId{3}, OpId{3}}));
}

Graph random_dag(Rng& rng, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  rng.shuffle(std::span(order));
  std::vector<OpSpec> specs(count);
  std::vector<std::string> names(count);
  for (std::size_t later = 0; later < count; ++later) {
    OpSpec& spec = specs[order[later]];
    spec.outputs = {{DType::kU8, {1}}};
    for (std::uint64_t n = later == 0 ? 0 : rng.below(3); n > 0; --n) {
      const OpId before{order[rng.below(later)]};
      if (rng.chance(0.7)) {
        spec.inputs.push_back({before, 0});
      } else {
        spec.control_inputs.push_back(before);
      }
    }
  }
  GraphBuilder builder("random");
  for (std::size_t i = 0; i < count; ++i) {
    names[i] = std::to_string(i);
    specs[i].name = names[i];
    builder.add(specs[i]);
  }
  return std::move(builder).build().value();
}

// Whether contracting the groups leaves a path from some node back to itself, by transitive closure.
bool has_cycle(const Graph& graph, const Plan& plan) {
  const std::vector<OpId> leader = fusion_leaders(graph, plan);
  const std::size_t n = graph.num_ops();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  const auto link = [&](OpId from, OpId to) {
    const OpId a = leader[index(from)], b = leader[index(to)];
    if (a != b) reaches[index(a)][index(b)] = true;
  };
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.inputs(op)) link(graph.producer(tensor), op);
    for (const OpId before : graph.control_inputs(op)) link(before, op);
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (reaches[i][i]) return true;
  }
  return false;
}

TEST(Fusion, AgreesWithTransitiveClosureOnRandomGraphs) {
  Rng rng(5);
  std::map<bool, int> seen;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t count = 4 + rng.below(12);
    const Graph graph = random_dag(rng, count);
    Plan plan;
    plan.device_of.assign(count, DeviceId{0});
    std::vector<OpId> ops(graph.ops().begin(), graph.ops().end());
    rng.shuffle(std::span(ops));
    for (std::size_t groups = 1 + rng.below(2); groups > 0 && ops.size() >= 2; --groups) {
      const std::size_t size = std::min<std::size_t>(ops.size(), 2 + rng.below(2));
      plan.fusions.emplace_back(ops.end() - static_cast<std::ptrdiff_t>(size), ops.end());
      ops.resize(ops.size() - size);
    }
    const bool legal = !has_cycle(graph, plan);
    ASSERT_EQ(check_fusions(graph, plan) == std::nullopt, legal) << round;
    ++seen[legal];
  }
  EXPECT_GT(seen[true], 100);
  EXPECT_GT(seen[false], 100);
}

}  // namespace
}  // namespace berth
