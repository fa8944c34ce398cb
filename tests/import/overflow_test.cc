// SPDX-License-Identifier: Apache-2.0
// Sizes that overflow: every reader refuses them by name; none counts them as nothing.
#include <gtest/gtest.h>

#include <functional>

#include "import/exported_parts.h"
#include "import/onnx_parts.h"
#include "import/openvino_text.h"
#include "import/tensorflow_sample.h"
#include "model/lower.h"

namespace berth {
namespace {

std::string lower_error(Result<Model> model, const DimSizes& dims = {}) {
  if (!model) return model.error().message;
  const auto lowered = lower(*std::move(model), {.dims = dims});
  return lowered ? "fine" : lowered.error().message;
}

const std::string kLimit = "; all tensors together may have 32.0 PiB";

namespace onnx {

using namespace onnx_test;

constexpr std::int64_t kHuge = std::int64_t{1} << 31;

std::string overflow_error(const WireWriter& graph, const DimSizes& dims = {}) {
  return lower_error(read_onnx_model(model(graph), "test"), dims);
}

TEST(OnnxOverflow, StatedShapes) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({kHuge, kHuge}))).message(11, value("y", dims_of({kHuge, kHuge})));
  graph.message(1, node({"mm", "MatMul", {"x", "y"}, {"z"}})).message(12, value("z", dims_of({kHuge, kHuge})));
  EXPECT_EQ(overflow_error(graph), "input 'x': the size of 'x' overflows: 2147483648 x 2147483648 elements" + kLimit);
}

TEST(OnnxOverflow, InferredShapes) {
  WireWriter open;
  open.message(11, value("x", dims_of({kHuge, 1}))).message(11, value("y", dims_of({1, kHuge})));
  open.message(1, node({"mm", "MatMul", {"x", "y"}, {"p"}})).message(1, node({"neg", "Neg", {"p"}, {"z"}}));
  open.message(12, WireWriter().bytes(1, "z"));
  EXPECT_EQ(overflow_error(open),
            "node 'mm' (MatMul): the size of 'p' overflows: 2147483648 x 2147483648 elements" + kLimit);
}

// A size that a rule computes and cannot hold is no unknown size.
TEST(OnnxOverflow, SizesBeyondTheRules) {
  const std::int64_t large = std::int64_t{1} << 47;
  WireWriter graph;
  graph.message(11, value("x", dims_of({large}))).message(5, integers("times", {1 << 20}));
  graph.message(1, node({"tile", "Tile", {"x", "times"}, {"z"}})).message(12, WireWriter().bytes(1, "z"));
  EXPECT_EQ(overflow_error(graph), "node 'tile' (Tile): the size of 'z' overflows: too many elements" + kLimit);
}

TEST(OnnxOverflow, SizesThatAShapeTensorHolds) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({1}))).message(5, integers("to", {std::int64_t{1} << 50, 4, 4}));
  graph.message(1, node({"grow", "Expand", {"x", "to"}, {"z"}})).message(12, WireWriter().bytes(1, "z"));
  EXPECT_EQ(overflow_error(graph),
            "node 'grow' (Expand): the size of 'z' overflows: too many x 4 x 4 elements" + kLimit);
}

TEST(OnnxOverflow, SizesThatTheUserGives) {
  const auto symbol = [](std::string_view name) { return WireWriter().message(1, WireWriter().bytes(2, name)); };
  WireWriter graph;
  graph.message(11, value("x", symbol("n"))).message(11, value("m", symbol("n*n")));
  graph.message(1, node({"neg", "Neg", {"x"}, {"y"}})).message(12, WireWriter().bytes(1, "y"));
  EXPECT_EQ(overflow_error(graph, {{"n", 8}}), "fine");
  EXPECT_EQ(overflow_error(graph, {{"n", std::int64_t{1} << 40}}),
            "input 'm': the size of 'm' overflows: too many elements" + kLimit);
}

TEST(OnnxOverflow, AnEmptyTensorHasNoSize) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({kHuge, kHuge, kHuge, 0})));
  graph.message(1, node({"neg", "Neg", {"x"}, {"y"}})).message(12, WireWriter().bytes(1, "y"));
  EXPECT_EQ(overflow_error(graph), "fine");
}

// y = x y^T in the body, over `turns` turns.
WireWriter loop_graph(std::int64_t side, std::int64_t turns) {
  WireWriter body, graph;
  for (const char* name : {"turn", "go", "h"}) body.message(11, WireWriter().bytes(1, name));
  body.message(1, node({"t", "Transpose", {"h"}, {"ht"}, {list("perm", {1, 0})}}));
  body.message(1, node({"outer", "MatMul", {"h", "ht"}, {"p"}})).message(1, node({"neg", "Neg", {"h"}, {"h2"}}));
  body.message(12, WireWriter().bytes(1, "go")).message(12, WireWriter().bytes(1, "h2"));
  graph.message(11, value("x", dims_of({side, 1}))).message(5, integers("turns", {turns}));
  graph.message(1, node({"loop", "Loop", {"turns", "", "x"}, {"y"}, {subgraph("body", body)}}));
  return graph.message(12, WireWriter().bytes(1, "y"));
}

TEST(OnnxOverflow, InsideLoops) {
  EXPECT_EQ(overflow_error(loop_graph(8, 5)), "fine");
  EXPECT_EQ(
      overflow_error(loop_graph(kHuge, 1)),
      "node 'loop': node 'loop/outer' (MatMul): the size of 'loop/p' overflows: 2147483648 x 2147483648 elements" +
          kLimit);
  EXPECT_EQ(overflow_error(loop_graph(1 << 20, 0x7fffffff)),
            "node 'loop': the bytes that its body moves in 2147483647 turns overflow");
}

}  // namespace onnx

namespace tf = tensorflow;

TEST(TensorFlowOverflow, StatedAndInferredShapes) {
  const auto overflow_error = [](const std::string& text) {
    return lower_error(read_tensorflow_graph_text(text, "test", {.outputs = {"y"}}));
  };
  const std::string x = tf::placeholder("x", "[4294967296,1]"), z = tf::placeholder("z", "[1,4294967296]");
  EXPECT_EQ(overflow_error(x + tf::node("y", "Neg", "x", "T:f32")), "fine");
  EXPECT_EQ(overflow_error(x + z + tf::node("y", "MatMul", "x z", "T:f32")),
            "node 'y' (MatMul): the size of 'y' overflows: 4294967296 x 4294967296 elements" + kLimit);
  EXPECT_EQ(overflow_error(tf::placeholder("x", "[4611686018427387904]") + tf::node("y", "Neg", "x", "T:f32")),
            "input 'x': the size of 'x' overflows: too many elements" + kLimit);
  EXPECT_EQ(
      overflow_error(x + tf::constant("times", "1000000000,1000000000") + tf::node("y", "Tile", "x times", "T:f32")),
      "node 'y' (Tile): the size of 'y' overflows: too many x 1000000000 elements" + kLimit);
}

TEST(LowerOverflow, TurnsOfALoop) {
  Model model;
  model.dialect = Dialect::kTensorFlow;
  const ValueIndex x = model.add({.name = "x", .dtype = DType::kF32, .shape = shape_of({1 << 30})});
  const ValueIndex y = model.add({.name = "y", .dtype = DType::kF32, .shape = shape_of({1 << 30})});
  model.leaves.push_back({.value = x, .role = Role::kInput});
  model.nodes.push_back({.name = "neg", .type = "Neg", .inputs = {x}, .outputs = {y}});
  model.nodes.back().attributes.emplace_back("_trip_count", std::int64_t{1} << 40);
  EXPECT_EQ(lower_error(std::move(model)),
            "node 'neg': the bytes that it moves in all its turns overflow; at most 32.0 PiB are counted");
}

TEST_F(OpenVino, SizesThatOverflowAreRefused) {
  const std::string huge = "FP32 2147483648,2147483648";
  const std::string file =
      ir_file(ir_layer(0, "x", "Parameter", "", "", huge) + ir_layer(1, "relu", "ReLU", "", huge, huge) +
                  ir_layer(2, "y", "Result", "", huge, ""),
              "0:0>1:0 1:1>2:0");
  EXPECT_EQ(lower_error(read_openvino_model(file)),
            "input 'x': the size of 'x' overflows: 2147483648 x 2147483648 elements" + kLimit);
}

TEST_F(OpenVino, SizesThatOverflowInsideABodyAreRefused) {
  std::string file = file_with_loop(iterator_layer(R"(axis="0")"));
  const std::string small = "<dim>4</dim><dim>32</dim></port></output></layer>\n<layer id=\"3\" name=\"out\"";
  const std::size_t at = file.find(small);
  ASSERT_NE(at, std::string::npos);
  file.insert(at, "<dim>4294967296</dim><dim>4294967296</dim>");
  EXPECT_EQ(lower_error(read_openvino_model(file)),
            "layer \"product\": the size of its port 2 overflows: 4294967296 x 4294967296 x 4 x 32 elements");
}

TEST(ExportedOverflow, StatedAndSymbolicSizes) {
  const auto program = [](const std::string& sizes) {
    return ProgramText{.input_specs = input_spec("x"),
                       .output_specs = output_spec("y"),
                       .nodes = node_text("torch.ops.aten.neg.default", named_tensor("self", "x"), tensor_arg("y")),
                       .tensors = tensor_meta("x", sizes) + "," + tensor_meta("y", sizes)}
        .json();
  };
  const auto overflow_error = [&](const std::string& sizes, const DimSizes& dims = {}) {
    return lower_error(parse_exported_program(program(sizes), "net.pt2"), dims);
  };
  const std::string large = R"({"as_int":4294967296})";
  EXPECT_EQ(overflow_error(large + "," + large),
            "input 'x': the size of 'x' overflows: 4294967296 x 4294967296 elements" + kLimit);
  const std::string open = symbolic("s0", 8) + "," + symbolic("s0*s0", 64);
  EXPECT_EQ(overflow_error(open), "fine");
  EXPECT_EQ(overflow_error(open, {{"s0", std::int64_t{1} << 40}}),
            "input 'x': the size of 'x' overflows: 1099511627776 x too many elements" + kLimit);
}

}  // namespace
}  // namespace berth
