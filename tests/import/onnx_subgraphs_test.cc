// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_subgraphs.h"

#include <gtest/gtest.h>

#include "import/onnx_parts.h"

namespace berth {
namespace {

using namespace onnx_test;

WireWriter bare(std::string_view name) { return WireWriter().bytes(1, name); }  // a value without type and shape

// x [3, 8] and a condition; `nodes`; output y.
std::string model_of_nodes(const std::vector<WireWriter>& nodes) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({3, 8}))).message(11, bare("test"));
  graph.message(5, integers("five", {5}));
  for (const WireWriter& each : nodes) graph.message(1, each);
  graph.message(12, bare("y"));
  return model(graph);
}

// A branch that multiplies x, which it sees from outside, by a weight of its own.
WireWriter product_branch() {
  WireWriter branch;
  branch.message(5, weight("w", {8, 16})).message(1, node({"product", "MatMul", {"x", "w"}, {"p"}}));
  branch.message(1, node({"tanh", "Tanh", {"p"}, {"q"}})).message(12, bare("q"));
  return branch;
}

WireWriter simple_branch() {
  WireWriter branch;
  return branch.message(1, node({"neg", "Neg", {"x"}, {"n"}})).message(12, bare("n"));
}

TEST(OnnxIfFile, TheLargerBranchIsWrittenOut) {
  const auto choice = node({"choice",
                            "If",
                            {"test"},
                            {"y"},
                            {subgraph("then_branch", simple_branch()), subgraph("else_branch", product_branch())}});
  const Lowered lowered = lower_or_die(model_of_nodes({choice}));
  const Graph& graph = lowered.graph;
  EXPECT_EQ(lowered.report.open_branches, (std::vector<std::string>{"choice"}));
  EXPECT_EQ(graph.flops(op_named(graph, "choice/product")), 2.0 * 3 * 8 * 16);
  EXPECT_EQ(graph.parameter_bytes(), 8 * 16 * 4);
  EXPECT_EQ(graph.label(op_named(graph, "choice/w")), "choice/w");
  EXPECT_EQ(op_named(graph, "choice/neg"), kNoOp);
  EXPECT_EQ(graph.source_nodes(), 1U);
  EXPECT_TRUE(lowered.report.unknown_shapes.empty() ||
              lowered.report.unknown_shapes == std::vector<std::string>{"test"});
}

// Either may run, so a runtime holds the weights of both; those of the branch that counts as not taken stay with it.
TEST(OnnxIfFile, BothBranchesHoldTheirWeights) {
  WireWriter other;
  other.message(5, weight("w", {8, 16})).message(1, node({"product", "MatMul", {"x", "w"}, {"n"}}));
  other.message(12, bare("n"));
  const auto choice = node(
      {"choice", "If", {"test"}, {"y"}, {subgraph("then_branch", product_branch()), subgraph("else_branch", other)}});
  const Lowered lowered = lower_or_die(model_of_nodes({choice}));
  const Graph& graph = lowered.graph;
  EXPECT_EQ(graph.parameter_bytes(), 2 * 8 * 16 * 4);
  EXPECT_EQ(graph.total_flops(), 2.0 * 3 * 8 * 16) << "one branch computes";
  std::vector<OpId> unread;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kParameter && graph.consumers(graph.outputs(op)[0]).empty()) unread.push_back(op);
  }
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_EQ(graph.resident_bytes(unread[0]), 8 * 16 * 4);
  EXPECT_GE(graph.colocation_group(unread[0]), 0);
  EXPECT_EQ(graph.colocation_group(unread[0]), graph.colocation_group(op_named(graph, "choice/tanh")));
}

TEST(OnnxIfFile, AWeightThatBothBranchesReadIsHeldOnce) {
  WireWriter then, other, graph;
  then.message(1, node({"p", "MatMul", {"x", "w"}, {"t"}})).message(12, bare("t"));
  other.message(1, node({"q", "MatMul", {"x", "w"}, {"e"}})).message(12, bare("e"));
  graph.message(11, value("x", dims_of({3, 8}))).message(11, bare("test")).message(5, weight("w", {8, 16}));
  graph.message(
      1, node({"choice", "If", {"test"}, {"y"}, {subgraph("then_branch", then), subgraph("else_branch", other)}}));
  graph.message(12, bare("y"));
  const Graph lowered = lower_or_die(model(graph)).graph;
  EXPECT_EQ(lowered.parameter_bytes(), 8 * 16 * 4);
  EXPECT_LT(lowered.colocation_group(op_named(lowered, "w")), 0) << "it has a reader to go with";
}

// As exporters write "squeeze if the size is 1": the condition follows from the shape of x.
TEST(OnnxIfFile, ShapesMayDecide) {
  const auto choice = node({"choice",
                            "If",
                            {"is_three"},
                            {"y"},
                            {subgraph("then_branch", simple_branch()), subgraph("else_branch", product_branch())}});
  WireWriter graph;
  graph.message(11, value("x", dims_of({3, 8}))).message(5, integers("three", {3}));
  graph.message(1, node({"shape", "Shape", {"x"}, {"s"}, {integer("end", 1)}}));
  graph.message(1, node({"equal", "Equal", {"s", "three"}, {"is_three"}})).message(1, choice).message(12, bare("y"));
  const Lowered lowered = lower_or_die(model(graph));
  EXPECT_NE(op_named(lowered.graph, "choice/neg"), kNoOp);
  EXPECT_EQ(lowered.graph.parameter_bytes(), 0) << "the weight of the other branch is not needed";
  EXPECT_TRUE(lowered.report.open_branches.empty());
}

TEST(OnnxIfFile, BranchesInsideBranches) {
  WireWriter nested;
  nested.message(1, node({"inner",
                          "If",
                          {"test"},
                          {"i"},
                          {subgraph("then_branch", product_branch()), subgraph("else_branch", simple_branch())}}));
  nested.message(12, bare("i"));
  const auto choice = node(
      {"outer", "If", {"test"}, {"y"}, {subgraph("then_branch", simple_branch()), subgraph("else_branch", nested)}});
  const Graph graph = lower_or_die(model_of_nodes({choice})).graph;
  EXPECT_NE(op_named(graph, "outer/inner/product"), kNoOp);
  EXPECT_EQ(graph.parameter_bytes(), 8 * 16 * 4);
}

// Turns: number, condition, h; h becomes tanh(h w); the condition stays.
WireWriter loop_body() {
  WireWriter body;
  body.message(11, bare("turn")).message(11, bare("go")).message(11, bare("h"));
  body.message(5, weight("w", {8, 8}));
  body.message(1, node({"product", "MatMul", {"h", "w"}, {"p"}})).message(1, node({"tanh", "Tanh", {"p"}, {"h2"}}));
  return body.message(12, bare("go")).message(12, bare("h2")).message(12, bare("p"));
}

TEST(OnnxLoopFile, StaysOneNodeWithTheWorkOfItsBody) {
  const auto loop = node({"loop", "Loop", {"five", "", "x"}, {"y", "all"}, {subgraph("body", loop_body())}});
  auto read = read_onnx_model(model_of_nodes({loop}), "test");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Lowered lowered = lower_or_die(model_of_nodes({loop}));
  const Graph& graph = lowered.graph;
  EXPECT_EQ(graph.parameter_bytes(), 8 * 8 * 4);
  EXPECT_EQ(graph.label(op_named(graph, "loop/w")), "loop/w");
  EXPECT_EQ(sizes_of_output(graph, "loop"), (std::vector<std::int64_t>{3, 8}));
  const auto all = graph.shape(graph.outputs(op_named(graph, "loop"))[1]);
  EXPECT_EQ(std::vector<std::int64_t>(all.begin(), all.end()), (std::vector<std::int64_t>{5, 3, 8}));
  EXPECT_TRUE(lowered.report.open_loops.empty());
}

TEST(OnnxLoopFile, WithoutATripCountIsSaid) {
  const auto loop = node({"loop", "Loop", {"", "test", "x"}, {"y"}, {subgraph("body", loop_body())}});
  const Lowered lowered = lower_or_die(model_of_nodes({loop}));
  EXPECT_EQ(lowered.report.open_loops, (std::vector<std::string>{"loop"}));
  ASSERT_FALSE(lowered.report.dims.empty());
  EXPECT_EQ(lowered.report.dims.back().name, "loop.turns");
  EXPECT_EQ(lowered.report.dims.back().source, DimSource::kAssumed);
}

TEST(OnnxLoopFile, TurnsAsOftenAsTheUserSaysIfTheFileDoesNot) {
  const auto of_count = [](std::string_view count, const LowerOptions& options) {
    return lower_or_die(
        model_of_nodes({node({"loop", "Loop", {count, "test", "x"}, {"y"}, {subgraph("body", loop_body())}})}),
        options);
  };
  const Lowered once = of_count("", {}), often = of_count("", {.dims = {{"loop.turns", 7}}});
  EXPECT_EQ(often.graph.total_flops(), 7 * once.graph.total_flops());
  EXPECT_TRUE(often.report.open_loops.empty()) << "nothing to warn about";
  auto model = read_onnx_model(
      model_of_nodes({node({"loop", "Loop", {"five", "test", "x"}, {"y"}, {subgraph("body", loop_body())}})}), "test");
  ASSERT_TRUE(model.ok());
  const auto refused = lower(*std::move(model), {.dims = {{"loop.turns", 7}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "no loop of the model is open, so 'loop.turns' sets nothing");
}

TEST(OnnxScanFile, TakesSlices) {
  WireWriter body;
  body.message(11, bare("h")).message(11, bare("slice"));
  body.message(1, node({"add", "Add", {"h", "slice"}, {"h2"}})).message(12, bare("h2")).message(12, bare("h2"));
  WireWriter graph;
  graph.message(11, value("start", dims_of({4}))).message(11, value("sequence", dims_of({9, 4})));
  graph.message(1, node({"scan",
                         "Scan",
                         {"start", "sequence"},
                         {"y", "all"},
                         {integer("num_scan_inputs", 1), subgraph("body", body)}}));
  graph.message(12, bare("y")).message(12, bare("all"));
  const Graph lowered = lower_or_die(model(graph)).graph;
  EXPECT_EQ(sizes_of_output(lowered, "scan"), (std::vector<std::int64_t>{4}));
  const auto all = lowered.shape(lowered.outputs(op_named(lowered, "scan"))[1]);
  EXPECT_EQ(std::vector<std::int64_t>(all.begin(), all.end()), (std::vector<std::int64_t>{9, 4}));
}

// Each of eight loops holds the next one and a chain of seven branches inside each other. Were a loop looked at again
// for every level of the branches beside it, as conditions become known, that would be 9^7 times for the innermost.
TEST(OnnxSubgraphs, AreLookedAtOnceHoweverDeep) {
  WireWriter chain = simple_branch();
  for (int i = 0; i < 7; ++i) {
    WireWriter around;
    around.message(
        1,
        node(
            {"if", "If", {"test"}, {"i"}, {subgraph("then_branch", chain), subgraph("else_branch", simple_branch())}}));
    chain = around.message(12, bare("i"));
  }
  const auto branches = node(
      {"choice", "If", {"test"}, {"c"}, {subgraph("then_branch", chain), subgraph("else_branch", simple_branch())}});
  WireWriter body = loop_body();
  for (int i = 0; i < 7; ++i) {
    WireWriter around;
    around.message(11, bare("turn")).message(11, bare("go")).message(11, bare("h"));
    around.message(1, node({"inner", "Loop", {"five", "", "h"}, {"h2"}, {subgraph("body", body)}}));
    body = around.message(1, branches).message(12, bare("go")).message(12, bare("h2"));
  }
  const auto loop = node({"loop", "Loop", {"five", "", "x"}, {"y"}, {subgraph("body", body)}});
  const Graph graph = lower_or_die(model_of_nodes({loop})).graph;
  EXPECT_EQ(graph.flops(op_named(graph, "loop")), 390'625 * 2.0 * 3 * 8 * 8) << "5^8 turns of one product";
}

// A loop inside a function, whose body has an attribute of the caller and calls another function.
TEST(OnnxSubgraphs, InsideFunctions) {
  WireWriter body;
  body.message(11, bare("turn")).message(11, bare("go")).message(11, bare("h"));
  body.message(1, node({"turn", "Transpose", {"h"}, {"t"}, {reference("perm", "how")}}));
  body.message(1, node({"act", "Act", {"t"}, {"h2"}}).bytes(7, "mine"));
  body.message(12, bare("go")).message(12, bare("h2"));
  WireWriter act, repeat;
  act.bytes(1, "Act").bytes(10, "mine").bytes(4, "a").bytes(5, "b").message(7, node({"f", "Tanh", {"a"}, {"b"}}));
  repeat.bytes(1, "Repeat").bytes(10, "mine").bytes(4, "n").bytes(4, "a").bytes(5, "b");
  repeat.message(7, node({"loop", "Loop", {"n", "", "a"}, {"b"}, {subgraph("body", body)}}));
  WireWriter graph;
  graph.message(11, value("x", dims_of({3, 8}))).message(5, integers("five", {5}));
  graph.message(1, node({"call", "Repeat", {"five", "x"}, {"y"}, {list("how", {1, 0})}}).bytes(7, "mine"));
  graph.message(12, bare("y"));
  const std::string bytes = WireWriter().varint(1, 10).message(7, graph).message(25, act).message(25, repeat).str();
  const Graph lowered = lower_or_die(bytes).graph;
  EXPECT_EQ(sizes_of_output(lowered, "call/loop"), (std::vector<std::int64_t>{8, 3}));
}

TEST(OnnxSubgraphs, MistakesAreNamedWithTheNode) {
  const auto error_of = [](const NodeParts& parts) { return onnx_error(model_of_nodes({node(parts)})); };
  EXPECT_EQ(error_of({"search", "BeamSearch", {"x"}, {"y"}, {subgraph("decoder", simple_branch())}}),
            "node 'search' (BeamSearch) runs a subgraph in a way that is not known here; export the model without it");
  EXPECT_EQ(error_of({"choice", "If", {"test"}, {"y"}, {subgraph("then_branch", simple_branch())}}),
            "node 'choice' (If) has no subgraph 'else_branch'");
  EXPECT_EQ(error_of({"choice",
                      "If",
                      {"test"},
                      {"y", "z"},
                      {subgraph("then_branch", simple_branch()), subgraph("else_branch", simple_branch())}}),
            "node 'choice' (If) has a branch with fewer outputs than the node");
  EXPECT_EQ(error_of({"scan", "Scan", {"", "x", "x", "x"}, {"y"}, {subgraph("body", loop_body())}}),
            "node 'scan' (Scan) has 4 inputs and its body 3; models older than opset 9 (2019) are to be exported anew");
  WireWriter dangling;
  dangling.message(1, node({"relu", "Relu", {"nowhere"}, {"n"}})).message(12, bare("n"));
  EXPECT_EQ(error_of({"choice",
                      "If",
                      {"test"},
                      {"y"},
                      {subgraph("then_branch", dangling), subgraph("else_branch", simple_branch())}}),
            "node 'choice': node 'relu' reads 'nowhere', which nothing makes");
}

TEST(OnnxSubgraphs, MayNotBeNestedWithoutEnd) {
  WireWriter branch = simple_branch();
  for (int i = 0; i < 40; ++i) {
    WireWriter around;
    around.message(1, node({"deep",
                            "If",
                            {"test"},
                            {"d"},
                            {subgraph("then_branch", branch), subgraph("else_branch", simple_branch())}}));
    around.message(12, bare("d"));
    branch = around;
  }
  const auto choice =
      node({"top", "If", {"test"}, {"y"}, {subgraph("then_branch", branch), subgraph("else_branch", simple_branch())}});
  EXPECT_NE(onnx_error(model_of_nodes({choice})).find("is inside 16 others"), std::string::npos);
}

}  // namespace
}  // namespace berth
