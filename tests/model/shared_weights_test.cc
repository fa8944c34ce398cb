// SPDX-License-Identifier: Apache-2.0
#include "model/shared_weights.h"

#include <gtest/gtest.h>

#include "model/lower.h"
#include "model/onnx_case.h"

namespace berth {
namespace {

// Indices read rows of a table of 100 x 8; a product reads the table through `layout`, as an output layer does.
Model tied_model(const std::string& layout, bool embeds) {
  Model model;
  const ValueIndex ids = model.add(value_from("i64[2,3]")), table = model.add(value_from("f32[100,8]"));
  const ValueIndex x = model.add(value_from("f32[2,3,8]")), turned = model.add({}), y = model.add({}),
                   rows = model.add({});
  model.values[table].name = "table";
  model.leaves.push_back({ids, Role::kInput, {}, {}});
  model.leaves.push_back({x, Role::kInput, {}, {}});
  model.leaves.push_back({table, Role::kParameter, "table", {}});
  if (embeds) model.nodes.push_back({.name = "embed", .type = "Gather", .inputs = {table, ids}, .outputs = {rows}});
  model.nodes.push_back({.name = "turn", .type = layout, .inputs = {table}, .outputs = {turned}});
  if (layout == "Cast") model.nodes.back().attributes = {integer("to", 10)};
  model.nodes.push_back({.name = "product", .type = "MatMul", .inputs = {x, turned}, .outputs = {y}});
  model.outputs = {y};
  return model;
}

Graph lowered(Model model) {
  auto result = lower(std::move(model));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result->graph);
}

std::string role_of(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return std::string(name_of(graph.role(op)));
  }
  return "none";
}

TEST(SharedWeights, AWeightReadInTwoLayoutsIsInMemoryOnce) {
  const Graph graph = lowered(tied_model("Transpose", true));
  EXPECT_EQ(graph.parameter_bytes(), 100 * 8 * 4);
  EXPECT_EQ(role_of(graph, "turn"), "view");
  EXPECT_EQ(role_of(graph, "table"), "parameter");
  EXPECT_EQ(graph.total_flops(), 2.0 * 2 * 3 * 8 * 100);
}

TEST(SharedWeights, AWeightReadInOneLayoutHasThatOne) {
  const Graph graph = lowered(tied_model("Transpose", false));
  EXPECT_EQ(graph.parameter_bytes(), 100 * 8 * 4);
  EXPECT_EQ(role_of(graph, "turn"), "none");
}

TEST(SharedWeights, AWeightOfAnotherTypeIsAnotherCopy) {
  Model model = tied_model("Cast", true);
  model.values[2].shape = Shape{{2, {}}, {3, {}}, {100, {}}};  // so that the product fits
  const Graph graph = lowered(std::move(model));
  EXPECT_EQ(graph.parameter_bytes(), 100 * 8 * (4 + 2));
}

// Two layouts of which neither is that of the file, one behind two nodes.
TEST(SharedWeights, ChainsOfLayoutsShareTheWeight) {
  Model model = tied_model("Transpose", false);
  const ValueIndex table = 1, x = 2;
  const ValueIndex flat = model.add({}), square = model.add({}), sizes = model.add(value_from("i64[2]={8,100}"));
  const ValueIndex all = model.add(value_from("i64[1]={-1}")), z = model.add({});
  model.leaves.push_back({sizes, Role::kConstant, {}, {}});
  model.leaves.push_back({all, Role::kConstant, {}, {}});
  model.nodes.push_back({.name = "flat", .type = "Reshape", .inputs = {table, all}, .outputs = {flat}});
  model.nodes.push_back({.name = "square", .type = "Reshape", .inputs = {flat, sizes}, .outputs = {square}});
  model.nodes.push_back({.name = "other", .type = "MatMul", .inputs = {x, square}, .outputs = {z}});
  model.outputs.push_back(z);
  const Graph graph = lowered(std::move(model));
  EXPECT_EQ(graph.parameter_bytes(), 100 * 8 * 4);
  EXPECT_EQ(role_of(graph, "turn"), "view");
  EXPECT_EQ(role_of(graph, "flat"), "view");
  EXPECT_EQ(role_of(graph, "square"), "view");
}

}  // namespace
}  // namespace berth
