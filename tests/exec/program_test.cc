// SPDX-License-Identifier: Apache-2.0
// What a capture may call, and what it may not.
#include "exec/program/program.h"

#include <gtest/gtest.h>

#include "exec/program/attention.h"
#include "exec/program/operator_rules.h"
#include "import/graph_file.h"

namespace berth::exec {
namespace {

constexpr std::string_view kMatrix = R"("outputs": [{"dtype": "f32", "shape": [4, 4]}])";

// The capture of one op, which is number 1, behind an input of 4 x 4.
std::string capture_of(std::string_view type, std::string_view rest) {
  return fmt::format(
      R"({{"format": "aten-graph/1", "name": "one", "mode": "infer", "torch": "by hand", "measured_on": {{"cuda": null, "cpu": null}},
      "outputs": [1], "ops": [{{"name": "x", "type": "input", {}}}, {{"name": "y", "type": "{}", {}, {}}}]}})",
      kMatrix, type, rest, kMatrix);
}

std::string error_of(std::string_view type, std::string_view rest) {
  const std::string text = capture_of(type, rest);
  const Graph graph = parse_graph(text, "capture").value();
  const Result<Program> program = Program::read(text, graph);
  return program.ok() ? "" : program.error().message;
}

void expect_error(std::string_view type, std::string_view rest, std::string_view words) {
  const std::string error = error_of(type, rest);
  EXPECT_NE(error.find(words), std::string::npos) << type << ": " << error;
  EXPECT_NE(error.find(type), std::string::npos) << error;
}

TEST(Program, CallsOperatorsThatCompute) {
  EXPECT_EQ(error_of("aten.relu.default", R"("args": [{"op": 0}])"), "");
  EXPECT_EQ(error_of("aten.gelu.default", R"("args": [{"op": 0}], "kwargs": {"approximate": {"s": "tanh"}})"), "");
  EXPECT_EQ(error_of("aten.div.Tensor_mode",
                     R"("args": [{"op": 0}, {"op": 0}], "kwargs": {"rounding_mode": {"s": "floor"}})"),
            "");
  EXPECT_EQ(error_of("aten.bernoulli.p", R"("args": [{"op": 0}, {"f": "0.5"}])"), "");
  EXPECT_EQ(error_of("aten.einsum.default", R"("args": [{"s": "ij,jk->ik"}, {"list": [{"op": 0}, {"op": 0}]}])"), "");
  EXPECT_EQ(error_of("aten.t.default", R"("args": [{"op": 0}], "view": true)"), "");
  EXPECT_EQ(error_of("aten._to_copy.default",
                     R"("args": [{"op": 0}], "kwargs": {"dtype": {"dtype": "f64"}, "device": {"device": "here"}})"),
            "");
}

TEST(Program, RefusesWhatTouchesMoreThanItsOutputs) {
  expect_error("aten.from_file.default", R"("args": [{"s": "/somewhere/x"}, {"b": true}, {"i": 16}])",
               "not among the operators that captures may call");
  expect_error("aten.add_.Tensor", R"("args": [{"op": 0}, {"f": "1"}])", "writes into its argument 'self'");
  expect_error("aten.add.out", R"("args": [{"op": 0}, {"f": "1"}], "kwargs": {"out": {"op": 0}})",
               "writes into its argument 'out'");
  expect_error("aten.set_.source_Storage", R"("args": [{"op": 0}])", "captures may");
  expect_error("aten.sum.dim_DimnameList", R"("args": [{"op": 0}])", "takes 'dim'");
  expect_error("mine.relu.default", R"("args": [{"op": 0}])", "is no operator of ATen");
  expect_error("prims.add.default", R"("args": [{"op": 0}])", "is no operator of ATen");
}

// How a captured training step keeps its running statistics; into anything but a buffer it is refused.
TEST(Program, OnlyBuffersAreWrittenBack) {
  expect_error("aten.copy_.default", R"("args": [{"op": 0}, {"op": 0}])", "writes into its argument 'self'");
  std::string text = capture_of("aten.copy_.default", R"("args": [{"op": 0}, {"op": 0}])");
  text.replace(text.find("\"input\""), 7, "\"buffer\"");
  EXPECT_TRUE(Program::read(text, parse_graph(text, "capture").value()).ok());
}

TEST(Program, TextIsAWordOfAList) {
  EXPECT_NE(error_of("aten.gelu.default", R"("args": [{"op": 0}], "kwargs": {"approximate": {"s": "/etc/passwd"}})")
                .find("is no word that 'approximate' may be"),
            std::string::npos);
  EXPECT_NE(error_of("aten.einsum.default", R"("args": [{"s": "ij/../x"}, {"list": [{"op": 0}, {"op": 0}]}])")
                .find("is no word that 'equation' may be"),
            std::string::npos);
  EXPECT_NE(error_of("aten.transpose.int", R"("args": [{"op": 0}, {"s": "0"}, {"i": 1}])").find("is no word"),
            std::string::npos);
}

TEST(Program, ArgumentsAreWhatTheOperatorWants) {
  EXPECT_NE(error_of("aten.transpose.int", R"("args": [{"op": 0}, {"device": "here"}, {"i": 1}])")
                .find("'dim0' cannot be that"),
            std::string::npos);
  EXPECT_NE(error_of("aten.bernoulli.p", R"("args": [{"op": 0}, {"f": "0.5"}], "kwargs": {"generator": {"i": 3}})")
                .find("'generator' cannot be that"),
            std::string::npos);
  EXPECT_NE(error_of("aten.detach.default", R"("args": [])").find("it has no tensor to give"), std::string::npos);
}

// Every operator that a capture of ours may name is there or said to be lacking; none of the table is one that writes.
TEST(OperatorRules, HoldForEveryWordThatIsKnown) {
  EXPECT_TRUE(is_known_word("approximate", "tanh"));
  EXPECT_FALSE(is_known_word("approximate", "none tanh"));
  EXPECT_FALSE(is_known_word("approximate", ""));
  EXPECT_FALSE(is_known_word("filename", "none"));
  EXPECT_TRUE(is_known_word("equation", "...ij,jk->ik"));
  EXPECT_FALSE(is_known_word("equation", "/somewhere/x"));
}

// Strides that lead out of the input's memory.
TEST(Program, AViewStaysInsideItsTensor) {
  const std::string text = capture_of(
      "aten._reshape_alias.default",
      R"("view": true, "args": [{"op": 0}, {"list": [{"i": 4}, {"i": 4}]}, {"list": [{"i": 100000}, {"i": 1}]}])");
  const Graph graph = parse_graph(text, "capture").value();
  const Program program = Program::read(text, graph).value();
  Stack stack;
  EXPECT_THROW(invoke(program.call(OpId{1}), {at::zeros({4, 4}), {}}, at::kCPU, 1, stack), c10::Error);
}

// Captured on a GPU, run on a CPU, forward and backward, with everything that the one saves for the other.
TEST(Program, AttentionOfAGpuRunsHere) {
  constexpr std::string_view kHeads = R"("outputs": [{"dtype": "f32", "shape": [1, 2, 4, 8]}])";
  const std::string text = fmt::format(
      R"({{"format": "aten-graph/1", "name": "attention", "mode": "infer", "torch": "by hand", "measured_on": {{"cuda": null, "cpu": null}},
      "outputs": [1], "ops": [
      {{"name": "q", "type": "input", {0}}},
      {{"name": "a", "type": "aten._scaled_dot_product_flash_attention.default", "args": [{{"op": 0}}, {{"op": 0}}, {{"op": 0}}, {{"f": "0.0"}}, {{"b": true}}],
       "kwargs": {{"scale": {{"f": "0.25"}}}}, "outputs": [{{"dtype": "f32", "shape": [1, 2, 4, 8]}}, {{"dtype": "f32", "shape": [1, 2, 4]}},
       {{"dtype": "i64", "shape": []}}, {{"dtype": "i64", "shape": []}}, {{"dtype": "f32", "shape": [0]}}]}},
      {{"name": "o", "type": "getitem", "args": [{{"op": 1}}, {{"i": 0}}], {0}}},
      {{"name": "l", "type": "getitem", "args": [{{"op": 1}}, {{"i": 1}}], "outputs": [{{"dtype": "f32", "shape": [1, 2, 4]}}]}},
      {{"name": "s", "type": "getitem", "args": [{{"op": 1}}, {{"i": 6}}], "outputs": [{{"dtype": "i64", "shape": []}}]}},
      {{"name": "b", "type": "aten._scaled_dot_product_flash_attention_backward.default", "args": [{{"op": 0}}, {{"op": 0}}, {{"op": 0}}, {{"op": 0}},
       {{"op": 2}}, {{"op": 3}}, null, null, {{"i": 4}}, {{"i": 4}}, {{"f": "0.0"}}, {{"b": true}}, {{"op": 4}}, {{"op": 4}}], "kwargs": {{"scale": {{"f": "0.25"}}}},
       "outputs": [{{"dtype": "f32", "shape": [1, 2, 4, 8]}}, {{"dtype": "f32", "shape": [1, 2, 4, 8]}}, {{"dtype": "f32", "shape": [1, 2, 4, 8]}}]}}]}})",
      kHeads);
  const Graph graph = parse_graph(text, "capture").value();
  const Program program = Program::read(text, graph).value();
  Inputs values(graph.num_tensors());
  Stack stack;
  values[0] = at::randn({1, 2, 4, 8});
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kInput) continue;
    const std::vector<at::Tensor> results = invoke(program.call(op), values, at::kCPU, 1, stack);
    ASSERT_EQ(results.size(), graph.outputs(op).size()) << graph.name(op);
    for (std::size_t i = 0; i < results.size(); ++i) values[index(graph.outputs(op)[i])] = results[i];
  }
  const Attention attention{values[0], values[0], values[0], {}, true, 0.25};
  const AttentionResult expected = attend(attention);
  const AttentionGradients gradients =
      attend_backward(attention, values[0], expected.output, expected.logsumexp, false);
  EXPECT_TRUE(at::allclose(values[index(graph.outputs(OpId{1})[0])], expected.output, 1e-4, 1e-6));
  EXPECT_TRUE(at::allclose(values[index(graph.outputs(OpId{5})[2])], gradients.value, 1e-4, 1e-6));
}

}  // namespace
}  // namespace berth::exec
