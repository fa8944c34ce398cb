// SPDX-License-Identifier: Apache-2.0
#include "problem/flat_tables.h"

#include <gtest/gtest.h>

#include <limits>

#include "graph/builder.h"
#include "support/toy.h"

namespace berth {
namespace {

using Numbers = std::vector<FlatNumber>;

TEST(FlatTables, EdgesAreARowForEveryTensorAndReader) {
  const ToyGraph toy = toy_graph("a:1:8B:3B -> b:1; a.1 -> b; a -> c:1; b => c");
  const EdgeTable edges = edge_table(*toy.graph);
  EXPECT_EQ(edges.ends, (Numbers{0, 1, 0, 2, 0, 1}));
  EXPECT_EQ(edges.bytes, (Numbers{8, 8, 3}));
  EXPECT_EQ(edges.tensor, (Numbers{0, 0, 1}));
  EXPECT_EQ(edges.control_ends, (Numbers{1, 2}));
  EXPECT_EQ(bytes_of_outputs(*toy.graph, OpId{0}), 11);
}

TEST(FlatTables, PlacesHaveNoTimeWhereAnOpCannotRun) {
  const Problem problem = toy_problem("a:2/5 -> b:3:compute=1; c:1/-", "2 devices, 1 s per edge");
  const PlaceTable places = place_table(problem);
  EXPECT_EQ(places.times_s, (std::vector<double>{2, 5, 3, 3, 1, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(places.compute_times_s[2], 1.0);
  EXPECT_EQ(places.allowed, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0}));
}

TEST(FlatTables, WaysAddUpTheirLinks) {
  const auto machine =
      toy_machine("device cpu; device g; device h; link cpu g latency=1 rate=4; link cpu h latency=2 rate=4");
  const WayTable ways = way_table(*machine);
  EXPECT_EQ(ways.latency_s, (std::vector<double>{0, 1, 2, 1, 0, 3, 2, 3, 0}));
  EXPECT_EQ(ways.bytes_per_s[1 * 3 + 2], 2.0) << "both links, one after the other";
  EXPECT_EQ(ways.bytes_per_s[0], std::numeric_limits<double>::infinity()) << "nothing to pass";
  EXPECT_EQ(ways.begin.size(), 10U);
  EXPECT_EQ(ways.begin[6] - ways.begin[5], 2) << "from g to h";
  EXPECT_EQ(ways.links.size(), static_cast<std::size_t>(ways.begin.back()));
}

TEST(FlatTables, ModulesAndShapesByTheirFirstUse) {
  GraphBuilder builder("g");
  for (const char* module : {"m.b", "m.a", "m.b"}) {
    const std::string name = fmt::format("op{}", builder.num_ops());
    builder.add({.name = name, .type = "t", .outputs = {{DType::kF32, {2, 3}}}, .module = module});
  }
  const auto graph = std::move(builder).build();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const ModuleTable modules = module_table(*graph);
  EXPECT_EQ(modules.names, (std::vector<std::string>{"m.b", "m.a"}));
  EXPECT_EQ(modules.of_op, (Numbers{0, 1, 0}));
  const ShapeTable shapes = shape_table(*graph);
  EXPECT_EQ(shapes.dims, (Numbers{2, 3, 2, 3, 2, 3}));
  EXPECT_EQ(shapes.begin, (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(role_names().front(), "compute");
  EXPECT_EQ(flat_number(kNoOp), kNoNumber);
}

}  // namespace
}  // namespace berth
