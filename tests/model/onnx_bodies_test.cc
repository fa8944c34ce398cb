// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "model/lower.h"
#include "model/onnx_case.h"

namespace berth {
namespace {

// A body that multiplies its last input by a captured weight of 8 x 8, and adds nothing else. `own` are the inputs of
// the body; its outputs are `before`, if there is one, and the product.
std::shared_ptr<const Body> product_body(const std::vector<std::string_view>& own, std::size_t captured_input,
                                         bool hands_on_first) {
  auto body = std::make_shared<Body>();
  for (const std::string_view input : own) body->inputs.push_back(body->model.add(value_from(input)));
  const ValueIndex weight = body->model.add({}), product = body->model.add({});
  body->captured.push_back({weight, captured_input});
  body->model.nodes.push_back(
      {.name = "product", .type = "MatMul", .inputs = {body->inputs.back(), weight}, .outputs = {product}});
  if (hands_on_first) body->model.outputs.push_back(body->inputs[1]);
  body->model.outputs.push_back(product);
  return body;
}

struct LoopCase {
  Model model;
  [[nodiscard]] const Node& node() const { return model.nodes.front(); }
  [[nodiscard]] std::string output(std::size_t i) const { return text_of(model.values[node().outputs[i]]); }
  [[nodiscard]] double flops() const { return *node().find<double>("body_flops"); }
};

// Trip count, condition, what is carried [3, 8], and the weight that the body sees.
LoopCase infer_loop_of(std::string_view count) {
  LoopCase loop;
  Node node;
  node.name = "again";
  node.type = "Loop";
  node.inputs = {loop.model.add(value_from(count)), kNoValue, loop.model.add(value_from("f32[3,8]")),
                 loop.model.add(value_from("f32[8,8]"))};
  node.outputs = {loop.model.add({}), loop.model.add({})};
  auto body = std::make_shared<Body>(*product_body({"i64", "bool", "f32"}, 3, true));
  body->model.outputs.push_back(body->model.outputs.back());  // and of every turn
  node.bodies = {body};
  loop.model.nodes.push_back(node);
  infer_onnx_shapes(loop.model);
  return loop;
}

TEST(OnnxLoop, CountsItsBodyAsOftenAsItTurns) {
  const LoopCase loop = infer_loop_of("i64[]={5}");
  EXPECT_EQ(loop.flops(), 5 * 2.0 * 3 * 8 * 8);
  EXPECT_EQ(loop.node().integer("body_bytes", 0), 5 * 4 * (3 * 8 + 8 * 8 + 3 * 8));
  EXPECT_EQ(loop.node().integer("body_turns", 0), 5);
  EXPECT_EQ(loop.node().integer("body_turns_known", 0), 1);
  EXPECT_EQ(loop.output(0), "f32[3,8]") << "after the last turn";
  EXPECT_EQ(loop.output(1), "f32[5,3,8]") << "of all turns";
  EXPECT_TRUE(loop.model.open_loops.empty());
}

TEST(OnnxLoop, OfUnknownLengthCountsOnceAndSaysSo) {
  for (const std::string_view count : {"i64[]", "i64[]={9223372036854775807}", "i64[]={-1}"}) {
    const LoopCase loop = infer_loop_of(count);
    EXPECT_EQ(loop.flops(), 2.0 * 3 * 8 * 8) << count;
    EXPECT_EQ(loop.model.open_loops, (std::vector<std::string>{"again"})) << count;
  }
}

// The state [8] stays, slices [3, 8] of a sequence [3, 7, 8] come along axis 1.
TEST(OnnxScan, TurnsAsOftenAsTheSequenceIsLong) {
  Model model;
  Node node;
  node.name = "walk";
  node.type = "Scan";
  node.inputs = {model.add(value_from("f32[8]")), model.add(value_from("f32[3,7,8]")),
                 model.add(value_from("f32[8,8]"))};
  node.outputs = {model.add({}), model.add({})};
  node.attributes = {integer("num_scan_inputs", 1), list("scan_input_axes", {1}), list("scan_output_axes", {-1})};
  auto body = std::make_shared<Body>(*product_body({"f32", "f32"}, 2, false));
  body->model.outputs.insert(body->model.outputs.begin(), body->inputs.front());
  node.bodies = {body};
  model.nodes.push_back(node);
  infer_onnx_shapes(model);
  EXPECT_EQ(*model.nodes[0].find<double>("body_flops"), 7 * 2.0 * 3 * 8 * 8);
  EXPECT_EQ(text_of(model.values[node.outputs[0]]), "f32[8]");
  EXPECT_EQ(text_of(model.values[node.outputs[1]]), "f32[3,8,7]");
}

TEST(OnnxLoop, LoopsInsideLoopsMultiply) {
  Model model;
  Node inner;
  inner.name = "inner";
  inner.type = "Loop";
  auto outer_body = std::make_shared<Body>();
  for (const std::string_view input : {"i64", "bool", "f32"})
    outer_body->inputs.push_back(outer_body->model.add(value_from(input)));
  const ValueIndex weight = outer_body->model.add({}), count = outer_body->model.add(value_from("i64[]={4}"));
  const ValueIndex result = outer_body->model.add({});
  outer_body->captured.push_back({weight, 3});
  outer_body->model.leaves.push_back({count, Role::kConstant, {}, {}});
  inner.inputs = {count, kNoValue, outer_body->inputs[2], weight};
  inner.outputs = {result};
  inner.bodies = {product_body({"i64", "bool", "f32"}, 3, true)};
  outer_body->model.nodes.push_back(inner);
  outer_body->model.outputs = {outer_body->inputs[1], result};
  Node outer;
  outer.name = "outer";
  outer.type = "Loop";
  outer.inputs = {model.add(value_from("i64[]={5}")), kNoValue, model.add(value_from("f32[3,8]")),
                  model.add(value_from("f32[8,8]"))};
  outer.outputs = {model.add({})};
  outer.bodies = {outer_body};
  model.nodes.push_back(outer);
  infer_onnx_shapes(model);
  EXPECT_EQ(*model.nodes[0].find<double>("body_flops"), 5 * 4 * 2.0 * 3 * 8 * 8);
  EXPECT_EQ(outer_body->model.values[result].shape, std::nullopt) << "bodies are shared, so they are not changed";
}

// x [3, 8]; then: one Tanh; else: Neg, then Abs. Both of x, which they see from inside.
Model branching(std::string_view condition) {
  const auto branch = [](const std::vector<std::string>& types) {
    auto body = std::make_shared<Body>();
    ValueIndex value = body->model.add({});
    body->captured.push_back({value, 1});
    for (const std::string& type : types) {
      const ValueIndex next = body->model.add({});
      body->model.nodes.push_back(
          {.name = fmt::format("choice/{}", type), .type = type, .inputs = {value}, .outputs = {next}});
      value = next;
    }
    body->model.outputs = {value};
    return body;
  };
  Model model;
  const ValueIndex test = model.add(value_from(condition)), x = model.add(value_from("f32[3,8]")), y = model.add({});
  const ValueIndex z = model.add({});
  model.leaves.push_back({test, Role::kInput, {}, {}});
  model.leaves.push_back({x, Role::kInput, {}, {}});
  Node node{.name = "choice", .type = "If", .inputs = {test, x}, .outputs = {y}};
  node.bodies = {branch({"Tanh"}), branch({"Neg", "Abs"})};
  model.nodes.push_back(node);
  model.nodes.push_back({.name = "after", .type = "Relu", .inputs = {y}, .outputs = {z}});
  model.outputs = {z};
  return model;
}

std::string ops_of(const Lowered& lowered) {
  std::vector<std::string> names;
  for (const OpId op : lowered.graph.ops()) {
    if (lowered.graph.role(op) == Role::kCompute) names.emplace_back(lowered.graph.name(op));
  }
  std::sort(names.begin(), names.end());
  return join(names, " ");
}

TEST(OnnxIf, AKnownConditionDecides) {
  const auto yes = lower(branching("bool[]={1}")), no = lower(branching("bool[]={0}"));
  ASSERT_TRUE(yes.ok() && no.ok());
  EXPECT_EQ(ops_of(*yes), "after choice/Tanh");
  EXPECT_EQ(ops_of(*no), "after choice/Abs choice/Neg");
  EXPECT_TRUE(yes->report.open_branches.empty());
  EXPECT_TRUE(yes->report.unknown_shapes.empty());
}

TEST(OnnxIf, ElseTheLargerBranchCountsAndThatIsSaid) {
  const auto lowered = lower(branching("bool[]"));
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(ops_of(*lowered), "after choice/Abs choice/Neg");
  EXPECT_EQ(lowered->report.open_branches, (std::vector<std::string>{"choice"}));
  EXPECT_EQ(lowered->report.branches_taken.at("choice"), "else");
}

// A branch that just hands on what it sees.
TEST(OnnxIf, ABranchMayBeEmpty) {
  Model model = branching("bool[]={1}");
  auto empty = std::make_shared<Body>();
  const ValueIndex x = empty->model.add({});
  empty->captured.push_back({x, 1});
  empty->model.outputs = {x};
  model.nodes[0].bodies[0] = empty;
  const auto lowered = lower(std::move(model));
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(ops_of(*lowered), "after");
  EXPECT_TRUE(lowered->report.unknown_shapes.empty());
}

}  // namespace
}  // namespace berth
