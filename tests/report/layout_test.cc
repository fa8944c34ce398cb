// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/builder.h"
#include "report/columns.h"
#include "report/lanes.h"
#include "support/random_problem.h"
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

TEST(Columns, CountTheLongestWayAndWaitForControlEdges) {
  EXPECT_EQ(find_columns(*toy_graph("a:1 -> b:1 -> c:1 -> d:1; a -> d; a -> e:1").graph),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 1}));
  EXPECT_EQ(find_columns(*toy_graph("a:1 => b:1 => c:1; d:1 -> c").graph), (std::vector<std::uint32_t>{0, 1, 2, 0}));
}

// w is used by b first; k by nobody; an op that waits for a signal stays where that puts it.
TEST(Columns, OnlySourcesMoveToTheirUsers) {
  EXPECT_EQ(find_columns(*toy_graph("a:1 -> b:1 -> c:1 -> d:1; w:param:1B -> d; w -> c; k:const:1B; s:1 -> d").graph),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 1, 0, 0}));
  EXPECT_EQ(find_columns(*toy_graph("a:1 -> b:1 -> c:1; x:input:1B -> v:view:1B -> c").graph),
            (std::vector<std::uint32_t>{0, 1, 2, 0, 1}));
}

// A chain of 36 ops whose outputs are read by the next two each, so that two tensors are in flight everywhere, but for
// one before the ops 14 and 23. Three stretches of about 12 end there.
TEST(Stretches, AreCutWhereTheFewestTensorsAreInFlight) {
  std::string text;
  for (int i = 0; i + 1 < 36; ++i) text += fmt::format("o{}:1 -> o{}:1;", i, i + 1);
  for (int i = 0; i + 2 < 36; ++i) {
    if (i != 12 && i != 21) text += fmt::format("o{} -> o{};", i, i + 2);
  }
  const ToyGraph toy = toy_graph(text);
  std::vector<OpId> ops;
  for (const OpId op : toy.graph->ops()) ops.push_back(op);
  const std::vector<std::uint32_t> column = find_columns(*toy.graph);
  EXPECT_EQ(find_stretches(*toy.graph, ops, column), (std::vector<std::uint32_t>{14, 23}));
  EXPECT_EQ(find_stretches(*toy.graph, ops, column, 2).size(), 1U) << "no more than asked for";
  ops.resize(23);
  EXPECT_TRUE(find_stretches(*toy.graph, ops, column).empty()) << "too few for two";
}

// All in one column: there is no place between.
TEST(Stretches, NeedColumnsToBeCutBetween) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += fmt::format("o{}:1;", i);
  const ToyGraph toy = toy_graph(text);
  std::vector<OpId> ops;
  for (const OpId op : toy.graph->ops()) ops.push_back(op);
  EXPECT_TRUE(find_stretches(*toy.graph, ops, find_columns(*toy.graph)).empty());
}

// Module paths of two words: three layers of four ops and a head of one.
Graph layers_of(int layers, int ops_each) {
  GraphBuilder builder("layers");
  OutputRef at{builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {4}}}}), 0};
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < ops_each; ++i) {
      at = {builder.add({.name = fmt::format("l{}_{}", layer, i),
                         .type = "Relu",
                         .inputs = {at},
                         .outputs = {{DType::kF32, {4}}},
                         .module = fmt::format("layer.{}", layer)}),
            0};
    }
  }
  builder.add({.name = "h", .type = "Relu", .inputs = {at}, .outputs = {{DType::kF32, {4}}}, .module = "head"});
  return std::move(builder).build().value();
}

std::string lane_names(const Graph& graph, std::size_t most) {
  const Lanes lanes = find_lanes(graph, most);
  std::set<std::string> names(lanes.names.begin(), lanes.names.end());
  EXPECT_EQ(names.size(), lanes.names.size());
  return fmt::format("{}", fmt::join(names, " "));
}

// With room for four the layers have lanes of their own; with room for three all stay together; the input is with the
// first op that reads it.
TEST(Lanes, ArePartsThatAreSplitAsLongAsThereIsRoom) {
  EXPECT_EQ(lane_names(layers_of(3, 4), 4), "head layer.0 layer.1 layer.2");
  EXPECT_EQ(lane_names(layers_of(3, 4), 3), "head layer");
  EXPECT_EQ(lane_names(layers_of(3, 4), 1), "");
}

TEST(Layout, LanesFollowEachOtherInTheOrderOfTheirWork) {
  const Layout layout = lay_out(layers_of(3, 4));
  std::string text;
  for (const Layout::Lane& lane : layout.lanes)
    text += fmt::format("{} {:g}+{:g} | ", lane.name, lane.top, lane.height);
  EXPECT_EQ(text, "layer.0 0+4 | layer.1 4.6+4 | layer.2 9.2+4 | head 13.8+4 | ");
  EXPECT_FLOAT_EQ(layout.rows, 17.8F);
}

// Columns of one op and of four: 1 and 2 wide.
TEST(Layout, ColumnsAreAsWideAsTheRootOfTheirOps) {
  const Layout layout = lay_out(*toy_graph("a:1 -> b:1 -> f:1; a -> c:1 -> f; a -> d:1 -> f; a -> e:1 -> f").graph);
  EXPECT_EQ(layout.column_x, (std::vector<float>{0.0F, 1.0F, 3.0F, 4.0F}));
  EXPECT_EQ(layout.columns, 3U);
}

// Of a lane of four rows a single op stands in the middle, two fill the middle half; 28 ops share 14 rows.
TEST(Layout, StacksAreInTheMiddleAndGetThinnerWhereTheyAreHigh) {
  const Layout low = lay_out(*toy_graph("a:1 -> b:1; a -> c:1").graph);
  EXPECT_FLOAT_EQ(low.top[0], 1.5F);
  EXPECT_FLOAT_EQ(low.top[1], 1.0F);
  EXPECT_FLOAT_EQ(low.top[2], 2.0F);
  EXPECT_FLOAT_EQ(low.height[1], 1.0F);
  std::string text;
  for (int i = 0; i < 28; ++i) text += fmt::format("o{}:1;", i);
  const Layout high = lay_out(*toy_graph(text).graph);
  EXPECT_FLOAT_EQ(high.rows, 14.0F);
  EXPECT_FLOAT_EQ(high.height[27], 0.5F);
  EXPECT_FLOAT_EQ(high.top[27], 13.5F);
}

// Any graph: edges go to the right, boxes are inside their lanes and columns and do not overlap, lanes do not either.
TEST(Layout, HoldsForAnyGraph) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    const Graph& graph = problem.graph();
    const Layout layout = lay_out(graph);
    ASSERT_EQ(layout.column_x.size(), layout.columns + 1U);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<float, float>>> stacks;
    for (const OpId op : graph.ops()) {
      const std::uint32_t column = layout.column[index(op)];
      EXPECT_LT(column, layout.columns);
      for (const TensorId input : graph.inputs(op)) EXPECT_LT(layout.column[index(graph.producer(input))], column);
      for (const OpId before : graph.control_inputs(op)) EXPECT_LT(layout.column[index(before)], column);
      stacks[{layout.lane_of[index(op)], column}].emplace_back(layout.top[index(op)], layout.height[index(op)]);
    }
    for (auto& [cell, boxes] : stacks) {
      std::ranges::sort(boxes);
      const Layout::Lane& lane = layout.lanes[cell.first];
      EXPECT_GE(boxes.front().first, lane.top - 1e-3F);
      EXPECT_LE(boxes.back().first + boxes.back().second, lane.top + lane.height + 1e-3F);
      for (std::size_t i = 1; i < boxes.size(); ++i) {
        EXPECT_GE(boxes[i].first, boxes[i - 1].first + boxes[i - 1].second - 1e-3F);
      }
    }
    for (std::size_t i = 1; i < layout.lanes.size(); ++i) {
      EXPECT_GT(layout.lanes[i].top, layout.lanes[i - 1].top + layout.lanes[i - 1].height);
    }
  }
}

}  // namespace
}  // namespace berth::report
