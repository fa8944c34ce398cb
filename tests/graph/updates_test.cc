// SPDX-License-Identifier: Apache-2.0
// What the builder adds by itself: colocation of updates, control edges before them, and outputs it drops.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/builder.h"
#include "graph/parts.h"

namespace berth {
namespace {

// "a b" for the ops that have control edges to `op`.
std::string waits_for(const Graph& graph, OpId op) {
  std::vector<std::string_view> names;
  for (const OpId before : graph.control_inputs(op)) names.push_back(graph.name(before));
  return fmt::format("{}", fmt::join(names, " "));
}

// "w: w u" for every colocation group.
std::vector<std::string> groups_of(const Graph& graph) {
  std::vector<std::string> lines;
  for (const std::string& name : graph.colocation_names()) lines.push_back(name + ":");
  for (const OpId op : graph.ops()) {
    if (const int group = graph.colocation_group(op); group >= 0) {
      lines[static_cast<std::size_t>(group)] += fmt::format(" {}", graph.name(op));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

// A parameter with everything a test may hang on it.
class Updates : public testing::Test {
 protected:
  OpId add(const char* name, std::vector<OutputRef> inputs, Role role = Role::kCompute) {
    return builder_.add({.name = name, .role = role, .inputs = std::move(inputs), .outputs = {kScalar}});
  }
  OpId add_update(const char* name, std::vector<OutputRef> inputs, OpId parameter) {
    return builder_.add({.name = name, .inputs = std::move(inputs), .outputs = {kScalar}, .updates = parameter});
  }
  Graph build() { return std::move(builder_).build().value(); }

  GraphBuilder builder_{"toy"};
  const OpId w_ = add("w", {}, Role::kParameter);
};

TEST_F(Updates, WaitForEveryDirectReader) {
  const OpId u = add_update("u", {{w_, 0}}, w_);
  const OpId a = add("a", {{w_, 0}});
  add("b", {{a, 0}, {w_, 0}});
  add("bystander", {{a, 0}});
  const Graph graph = build();
  EXPECT_EQ(waits_for(graph, u), "a b");
  EXPECT_EQ(graph.updated_parameter(u), w_);
  EXPECT_TRUE(graph.is_trained(w_));
  EXPECT_FALSE(graph.is_trained(a));
}

TEST_F(Updates, WaitForReadersThroughViewsOfViews) {
  const OpId v = add("v", {{w_, 0}}, Role::kView);
  const OpId vv = builder_.add({.name = "vv", .role = Role::kView, .inputs = {{v, 0}}, .outputs = {kScalar, kScalar}});
  const OpId vvv = add("vvv", {{vv, 1}}, Role::kView);
  add("a", {{v, 0}});
  add("b", {{vv, 0}});
  add("c", {{vvv, 0}});
  const OpId u = add_update("u", {}, w_);
  EXPECT_EQ(waits_for(build(), u), "a b c");  // not for the views, which read nothing
}

TEST_F(Updates, DoNotWaitForReadersThatFeedThem) {
  const OpId gradient = add("gradient", {{w_, 0}});
  const OpId other = add("other", {{w_, 0}});
  const OpId u = add_update("u", {{w_, 0}, {gradient, 0}}, w_);
  const Graph graph = build();
  EXPECT_EQ(waits_for(graph, u), "other");
  EXPECT_EQ(graph.control_outputs(other).size(), 1U);
  EXPECT_TRUE(graph.control_outputs(gradient).empty());
}

TEST_F(Updates, WaitForAViewThatReadsTheParameterAsASideInput) {
  const OpId x = add("x", {}, Role::kInput);
  const OpId v = add("v", {{x, 0}, {w_, 0}}, Role::kView);  // looks at x; w tells it where, say
  add("a", {{v, 0}});
  const OpId u = add_update("u", {}, w_);
  EXPECT_EQ(waits_for(build(), u), "v");
}

TEST_F(Updates, DoNotWaitForReadersOfTheirResult) {
  const OpId u = add_update("u", {{w_, 0}}, w_);
  add("a", {{u, 0}});
  EXPECT_EQ(waits_for(build(), u), "");
}

TEST_F(Updates, WaitForEachOtherWhereOneReadsTheOthersParameter) {
  const OpId w2 = add("w2", {}, Role::kParameter);
  const OpId u = add_update("u", {{w_, 0}}, w_);
  const OpId u2 = add_update("u2", {{w2, 0}, {w_, 0}}, w2);
  const Graph graph = build();
  EXPECT_EQ(waits_for(graph, u), "u2");
  EXPECT_EQ(waits_for(graph, u2), "");
}

TEST_F(Updates, EveryOutputOfAParameterCounts) {
  const OpId pair = builder_.add({.name = "pair", .role = Role::kParameter, .outputs = {kScalar, kScalar}});
  add("a", {{pair, 1}});
  const OpId u = add_update("u", {{pair, 0}}, pair);
  EXPECT_EQ(waits_for(build(), u), "a");
}

TEST_F(Updates, GivenControlEdgesStay) {
  const OpId a = add("a", {{w_, 0}});
  const OpId b = add("b", {});
  const OpId u = add_update("u", {}, w_);
  builder_.add_control_edge(b, u);
  builder_.add_control_edge(a, u);  // the builder would add it anyway: one edge
  EXPECT_EQ(waits_for(build(), u), "a b");
}

TEST_F(Updates, ShareAGroupWithTheirParameter) {
  const OpId u = add_update("u", {{w_, 0}}, w_);
  const OpId a = add("a", {{u, 0}});
  const Graph graph = build();
  EXPECT_EQ(groups_of(graph), (Lines{"w: w u"}));
  EXPECT_EQ(graph.colocation_group(a), -1);
}

TEST_F(Updates, JoinNamedGroupsTogether) {
  builder_.add({.name = "a", .colocate = "g"});
  builder_.add({.name = "b", .colocate = "h"});
  builder_.add({.name = "c", .colocate = "h"});
  const OpId w2 = builder_.add({.name = "w2", .role = Role::kParameter, .colocate = "h"});
  builder_.add({.name = "u", .colocate = "g", .updates = w_});
  builder_.add({.name = "u2", .updates = w2});
  builder_.add({.name = "free"});
  EXPECT_EQ(groups_of(build()), (Lines{"g: w a u", "h: b c w2 u2"}));
}

TEST_F(Updates, TwoNamedGroupsThatShareAParameterAreOne) {
  const OpId w2 = builder_.add({.name = "w2", .role = Role::kParameter, .colocate = "g"});
  builder_.add({.name = "u2", .colocate = "h", .updates = w2});
  builder_.add({.name = "b", .colocate = "h"});
  EXPECT_EQ(groups_of(build()), (Lines{"g: w2 u2 b"}));
}

// Files keep groups by name, so two groups must not share one.
TEST_F(Updates, GroupsWithoutANameGetOneOfTheirOwn) {
  builder_.add({.name = "a", .colocate = "w"});
  builder_.add({.name = "b", .colocate = "w"});
  builder_.add({.name = "u", .updates = w_});
  EXPECT_EQ(groups_of(build()), (Lines{"w+: w u", "w: a b"}));
}

TEST_F(Updates, GroupsAreNumberedByTheirLowestOp) {
  builder_.add({.name = "a", .colocate = "g"});
  builder_.add({.name = "u", .updates = w_});
  builder_.add({.name = "alone", .colocate = "h"});
  EXPECT_EQ(groups_of(build()), (Lines{"w: w u", "g: a", "h: alone"}));
}

TEST_F(Updates, TensorsThatOnlyUpdatesReadAreNoGraphOutputs) {
  const OpId gradient = add("gradient", {});
  const OpId loss = add("loss", {{gradient, 0}});
  const OpId shared = add("shared", {});
  const OpId unread = add("unread", {});
  const OpId u = add_update("u", {{gradient, 0}, {shared, 0}, {loss, 0}}, w_);
  add("reader", {{shared, 0}});
  for (const OpId op : {unread, u, shared, loss, gradient}) builder_.mark_output({op, 0});
  const Graph graph = build();
  std::vector<std::string_view> kept;
  for (const TensorId tensor : graph.graph_outputs()) kept.push_back(graph.name(graph.producer(tensor)));
  // The gradient is read by the loss too; the loss by the update alone.
  EXPECT_EQ(kept, (std::vector<std::string_view>{"gradient", "shared", "unread", "u"}));
  EXPECT_FALSE(graph.is_graph_output(graph.outputs(loss)[0]));
}

}  // namespace
}  // namespace berth
