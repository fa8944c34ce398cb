// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/cut_graph.h"

#include <gtest/gtest.h>

#include <numeric>

#include "plan/toys.h"

namespace berth {
namespace {

constexpr std::string_view kByteLinks =
    "device cpu; device gpu0; device gpu1; link cpu gpu0 rate=1; link cpu gpu1 rate=1; "
    "link gpu0 gpu1 rate=1";

CutGraph graph_of(const Problem& problem) {
  return make_cut_graph(problem, one_group_per_unit(problem), {DeviceId{1}, DeviceId{2}}).value();
}

std::int64_t total(const std::vector<std::int32_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

TEST(ScaleWeights, KeepsProportionsAndNothingBecomesZero) {
  const std::vector<double> weights{1e15, 3e15, 0.0, 1.0};
  const std::vector<std::int32_t> scaled = scale_weights(weights, 1000);
  EXPECT_EQ(scaled, (std::vector<std::int32_t>{248, 746, 1, 1}));  // 996 to share, cut off, at least 1 each
}

TEST(ScaleWeights, SmallNumbersUseTheWholeRange) {
  EXPECT_EQ(scale_weights(std::vector<double>{1.0, 2.0}, 302), (std::vector<std::int32_t>{100, 200}));
  EXPECT_EQ(scale_weights(std::vector<double>{0.0, 0.0}, 100), (std::vector<std::int32_t>{1, 1}));
  EXPECT_TRUE(scale_weights({}, 100).empty());
}

TEST(ScaleWeights, AMillionWeightsStayWithinTheLimit) {
  std::vector<double> weights(1'000'000, 0.0);
  weights[0] = 1e18;
  const std::vector<std::int32_t> scaled = scale_weights(weights, kMaxEdgeWeights);
  EXPECT_LE(total(scaled), kMaxEdgeWeights);
  EXPECT_EQ(scaled[1], 1);
}

TEST(CutGraph, AddsTensorsBetweenTwoGroupsAndCountsEachOnce) {
  // a sends 6 B and 2 B to b; b reads the first one twice. c gets 4 B: half as much.
  const Problem problem = toy_problem("a:1:6B:2B -> b:1:4B -> c:1; a.0 -> b; a.1 -> b", kByteLinks);
  const CutGraph graph = graph_of(problem);
  ASSERT_EQ(graph.size(), 3U);
  EXPECT_EQ(graph.begin, (std::vector<std::int32_t>{0, 1, 3, 4}));
  EXPECT_EQ(graph.neighbour, (std::vector<std::int32_t>{1, 0, 2, 1}));
  EXPECT_NEAR(static_cast<double>(graph.edge_weight[0]) / graph.edge_weight[2], 2.0, 1e-6);
  EXPECT_EQ(graph.edge_weight[0], graph.edge_weight[1]);
}

TEST(CutGraph, LeavesOutWhatNoTargetRunsAndPinsWhatOnlyOneDoes) {
  const Problem problem = toy_problem("a:1 -> b:2/-/- -> c:-/-/1 -> d:1", kByteLinks);
  const CutGraph graph = graph_of(problem);
  EXPECT_EQ(graph.group_of, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(graph.pinned, (std::vector<std::int32_t>{-1, 1, -1}));
  EXPECT_EQ(graph.neighbour, (std::vector<std::int32_t>{2, 1}));  // c and d; a has lost its only neighbour
}

TEST(CutGraph, ForbiddenVerticesGoToTheirHeaviestNeighbour) {
  Constraints constraints;
  constraints.forbids = {{OpId{1}, DeviceId{1}}};
  const std::string machine =
      "device cpu; device gpu0; device gpu1; device gpu2; link cpu gpu0 rate=1; "
      "link cpu gpu1 rate=1; link cpu gpu2 rate=1";
  const Problem problem = constrained_toy("a:1:1B -> b:1; c:1:9B -> b; d:1:5B -> b", machine, constraints);
  const CutGraph graph =
      make_cut_graph(problem, one_group_per_unit(problem), {DeviceId{1}, DeviceId{2}, DeviceId{3}}).value();
  const Plan plan = plan_from_cut(problem, graph, std::vector<std::int32_t>{0, 0, 2, 1});
  EXPECT_EQ(plan.device(OpId{1}), DeviceId{3});  // with c; b may not be on gpu0
  EXPECT_EQ(plan.device(OpId{0}), DeviceId{1});
}

TEST(CutGraph, SpeedsFollowTimesAndLanes) {
  const Problem problem = toy_problem("a:8/1/2 -> b:8/1/2",
                                      "device cpu lanes=2; device gpu0; device gpu1; "
                                      "link cpu gpu0; link cpu gpu1");
  EXPECT_EQ(target_speeds(problem, std::vector<DeviceId>{DeviceId{1}, DeviceId{2}, DeviceId{0}}),
            (std::vector<double>{1.0, 0.5, 0.25}));
}

TEST(CoarsenForCut, MeetsTheGrainWithAndWithoutEdges) {
  std::string line, loose;
  for (int i = 0; i < 200; ++i) {
    line += fmt::format("{}op{}:1", i == 0 ? "" : " -> ", i);
    loose += fmt::format("{}op{}:1", i == 0 ? "" : "; ", i);
  }
  for (const std::string& text : {line, loose}) {
    const Problem problem = toy_problem(text, kByteLinks);
    const Grouping grouping = coarsen_for_cut(problem, 2, {.max_vertices = 20, .largest_share = 0.01});
    EXPECT_LE(grouping.size(), 20U);
    EXPECT_GE(grouping.size(), 4U);  // still something to cut
  }
}

TEST(CoarsenForCut, AnInputOnTheCpuDoesNotPullItsReaderThere) {
  const Problem problem = constrained_toy("x:input:4B -> a:1 -> b:1", kByteLinks, {});
  const Grouping grouping = coarsen_for_cut(problem, 2, {.max_vertices = 100, .largest_share = 10.0});
  EXPECT_EQ(grouping.of(problem, OpId{1}), grouping.of(problem, OpId{2}));
  EXPECT_EQ(grouping.allowed[grouping.of(problem, OpId{1})], DeviceSet{7});
}

}  // namespace
}  // namespace berth
