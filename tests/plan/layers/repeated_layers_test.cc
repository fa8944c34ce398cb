// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/repeated_layers.h"

#include <gtest/gtest.h>

#include <map>

#include "graph/builder.h"

namespace berth {
namespace {

struct ModuleOp {
  std::string_view name, module, type = "op";
};

// One op after the other.
Graph chain(std::initializer_list<ModuleOp> ops) {
  GraphBuilder builder("model");
  OpId last = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {{}}});
  for (const ModuleOp& op : ops) {
    last = builder.add({.name = op.name, .type = op.type, .inputs = {{last, 0}}, .outputs = {{}}, .module = op.module});
  }
  builder.mark_output({last, 0});
  return std::move(builder).build().value();
}

// "a b | c": compute ops of equal labels, labels in the order of their first op.
std::string describe_repeated(const Graph& graph) {
  const std::optional<Layers> layers = find_layers(graph);
  if (!layers) return "no layers";
  const auto labels = repeated_places(graph, *layers);
  if (!labels) return "no repeats";
  std::map<std::uint32_t, std::string> names;
  std::vector<std::uint32_t> order;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    std::string& text = names[(*labels)[index(op)]];
    if (text.empty()) order.push_back((*labels)[index(op)]);
    text += fmt::format("{}{}", text.empty() ? "" : " ", graph.name(op));
  }
  std::string text;
  for (const std::uint32_t label : order) text += fmt::format("{}{}", text.empty() ? "" : " | ", names[label]);
  return text;
}

TEST(Repeats, SamePlacesOfAStackShareALabel) {
  EXPECT_EQ(
      describe_repeated(chain(
          {{"q0", "m.layer.0.query"}, {"k0", "m.layer.0.key"}, {"q1", "m.layer.1.query"}, {"k1", "m.layer.1.key"}})),
      "q0 q1 | k0 k1");
}

TEST(Repeats, TheSameModuleTwiceInALayerHasTwoPlaces) {
  EXPECT_EQ(
      describe_repeated(chain({{"a0", "m.layer.0"}, {"b0", "m.layer.0"}, {"a1", "m.layer.1"}, {"b1", "m.layer.1"}})),
      "a0 a1 | b0 b1");
}

TEST(Repeats, OtherTypesHaveOtherPlaces) {
  EXPECT_EQ(
      describe_repeated(chain({{"a", "m.layer.0", "matmul"}, {"b", "m.layer.1", "add"}, {"c", "m.layer.2", "matmul"}})),
      "a c | b");
}

TEST(Repeats, LayersOutsideAnyStackStayWhole) {
  EXPECT_EQ(describe_repeated(chain({{"e", "m.embed"}, {"f", "m.embed"}, {"a0", "m.layer.0"}, {"a1", "m.layer.1"}})),
            "e f | a0 a1");
}

TEST(Repeats, NumbersFurtherInsideKeepPlacesApart) {
  EXPECT_EQ(describe_repeated(chain({{"e0", "m.layer.0.expert.0"},
                                     {"f0", "m.layer.0.expert.1"},
                                     {"e1", "m.layer.1.expert.0"},
                                     {"f1", "m.layer.1.expert.1"}})),
            "e0 e1 | f0 f1");
}

TEST(Repeats, NothingWhereNoLayerRepeats) {
  EXPECT_EQ(describe_repeated(chain({{"a", "m.first"}, {"b", "m.second"}, {"c", "m.layer.7"}})), "no repeats");
}

}  // namespace
}  // namespace berth
