// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

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
