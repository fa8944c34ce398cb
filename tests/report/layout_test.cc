// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/builder.h"
#include "report/lanes.h"
#include "support/toy.h"
#include "zoo/zoo.h"

namespace berth::report {
namespace {

Graph zoo(const char* spec) {
  auto graph = build_zoo_model(spec);
  EXPECT_TRUE(graph) << graph.error().message;
  return std::move(graph).value();
}

TEST(Lanes, LayersHaveALaneEachAndTimeStepsDoNot) {
  const Graph graph = zoo("nmt-2,batch=4,unroll=30,hidden=16,vocab=100");
  const Lanes lanes = find_lanes(graph);
  EXPECT_LE(lanes.names.size(), kMostLanes);
  const std::set<std::string> names(lanes.names.begin(), lanes.names.end());
  EXPECT_TRUE(names.contains("decoder.layer.1")) << lanes.names.front();
  EXPECT_TRUE(names.contains("softmax"));
  for (const std::string& name : names) EXPECT_EQ(name.find(".t3"), std::string::npos) << name;
  ASSERT_EQ(lanes.of.size(), graph.num_ops());
  for (const OpId op : graph.ops()) {
    EXPECT_TRUE(std::string(graph.module(op)).starts_with(lanes.names[lanes.of[index(op)]])) << graph.name(op);
  }
}

TEST(Lanes, GraphsWithoutPartsHaveOneLane) {
  const ToyGraph toy = toy_graph("a:1 -> b:1 -> c:1");
  const Lanes lanes = find_lanes(*toy.graph);
  EXPECT_EQ(lanes.names, std::vector<std::string>{""});
  EXPECT_EQ(lanes.of, (std::vector<std::uint32_t>{0, 0, 0}));
}

// Eight blocks of ten ops that fork into two and join again; weights are named by number alone. Blocks meet in one
// tensor, and that is where the bands are cut.
Graph nameless_blocks() {
  GraphBuilder builder("blocks");
  const auto add = [&](const std::string& name, std::vector<OutputRef> inputs, Role role = Role::kCompute) {
    const OpSpec op{
        .name = name, .type = "Conv", .role = role, .inputs = std::move(inputs), .outputs = {{DType::kF32, {4}}}};
    return OutputRef{builder.add(op), 0};
  };
  OutputRef at = add("x", {}, Role::kInput);
  for (int block = 0; block < 8; ++block) {
    OutputRef a = at, b = at;
    for (int i = 0; i < 4; ++i) {
      const OutputRef weight = add(fmt::format("{}", 100 * block + i), {}, Role::kParameter);
      a = add(fmt::format("left_{}_{}", block, i), {a, weight});
      b = add(fmt::format("right_{}_{}", block, i), {b});
    }
    at = add(fmt::format("join_{}", block), {a, b});
  }
  auto graph = std::move(builder).build();
  EXPECT_TRUE(graph) << graph.error().message;
  return std::move(graph).value();
}

TEST(Lanes, GraphsWithoutPartsAreCutByPositionBetweenTheirBlocks) {
  const Graph graph = nameless_blocks();
  const Lanes lanes = find_lanes(graph);
  ASSERT_EQ(lanes.names.size(), 8U);
  EXPECT_EQ(std::set<std::string>(lanes.names.begin(), lanes.names.end()).size(), 8U);
  for (const std::string& name : lanes.names) EXPECT_TRUE(name.starts_with("from ")) << name;
  for (const OpId op : graph.ops()) {
    for (const TensorId input : graph.inputs(op)) {
      const OpId from = graph.producer(input);
      const bool meets = graph.name(from).starts_with("join_") || graph.name(op).starts_with("join_");
      EXPECT_TRUE(meets || lanes.of[index(from)] == lanes.of[index(op)]) << graph.name(from) << " " << graph.name(op);
    }
  }
}

// Only weights say where they belong: n1 has the weight of part b, n2 follows n1, and the plain constant goes with n2.
TEST(Lanes, OpsWithoutPathsAreWithTheirWeightsAndInputs) {
  const ToyGraph toy = toy_graph("a/w:param:8B -> n0:1 -> n1:1 -> n2:1; b/w:param:8B -> n1; c:const:8B -> n2");
  const Lanes lanes = find_lanes(*toy.graph);
  std::string text;
  for (const OpId op : toy.graph->ops()) {
    text += fmt::format("{}:{} ", toy.graph->name(op), lanes.names[lanes.of[index(op)]]);
  }
  EXPECT_EQ(text, "a/w:a n0:a n1:b n2:b b/w:b c:b ");
}

TEST(Layout, EdgesPointToTheRight) {
  const Graph graph = zoo("rnnlm,batch=4,unroll=5,hidden=16,vocab=100");
  const Layout layout = lay_out(graph);
  for (const OpId op : graph.ops()) {
    for (const TensorId input : graph.inputs(op)) {
      EXPECT_LT(layout.column[index(graph.producer(input))], layout.column[index(op)]) << graph.name(op);
    }
  }
}

// Boxes of one column and lane lie below each other, inside their lane.
TEST(Layout, BoxesDoNotOverlapAndStayInTheirLane) {
  const Graph graph = zoo("rnnlm,batch=4,unroll=5,hidden=16,vocab=100");
  const Layout layout = lay_out(graph);
  std::set<std::pair<std::uint32_t, float>> corners;
  for (const OpId op : graph.ops()) {
    const Layout::Lane& lane = layout.lanes[layout.lane_of[index(op)]];
    const float top = layout.top[index(op)], bottom = top + layout.height[index(op)];
    EXPECT_GE(top, lane.top - 1e-3F);
    EXPECT_LE(bottom, lane.top + lane.height + 1e-3F);
    EXPECT_LE(layout.column[index(op)] + 1, layout.columns);
    EXPECT_TRUE(corners.insert({layout.column[index(op)], top}).second) << graph.name(op);
  }
}

// a, b and c in a row; w is used by c first and stands just before it, not at the beginning.
TEST(Layout, ParametersStandBesideTheirFirstUser) {
  const ToyGraph toy = toy_graph("a:1 -> b:1 -> c:1; w:param:8B -> c");
  const Layout layout = lay_out(*toy.graph);
  EXPECT_EQ(layout.column, (std::vector<std::uint32_t>{0, 1, 2, 1}));
  EXPECT_EQ(layout.columns, 3U);
}

TEST(Layout, AnEmptyGraphHasNoBoxes) {
  GraphBuilder builder("nothing");
  const auto graph = std::move(builder).build();
  ASSERT_TRUE(graph) << graph.error().message;
  const Layout layout = lay_out(*graph);
  EXPECT_TRUE(layout.column.empty());
}

}  // namespace
}  // namespace berth::report
