// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "import/model_file.h"
#include "import/onnx_parts.h"
#include "import/parts.h"

namespace berth {
namespace {

using namespace onnx_test;

// A window of 3 by 3, padded, over 8 channels of 16 by 16, then relu and a flattening.
std::string small_network() {
  WireWriter graph;
  graph.message(11, value("x", dims_of({2, 8, 16, 16})));
  graph.message(5, weight("w", {4, 8, 3, 3}));
  graph.message(1, node({"conv", "Conv", {"x", "w"}, {"y"}, {list("pads", {1, 1, 1, 1}), list("strides", {2, 2})}}));
  graph.message(1, node({"relu", "Relu", {"y"}, {"z"}}));
  graph.message(1, node({"flat", "Flatten", {"z"}, {"f"}}));
  graph.message(12, WireWriter().bytes(1, "f"));
  return model(graph);
}

TEST(OnnxModel, BecomesAGraphWithShapesFlopsAndRoles) {
  const Lowered lowered = lower_or_die(small_network());
  const Graph& graph = lowered.graph;
  EXPECT_EQ(graph.num_ops(), 5U);
  EXPECT_EQ(graph.source_nodes(), 3U);
  EXPECT_EQ(graph.source_edges(), 2U);
  EXPECT_EQ(graph.role(op_named(graph, "w")), Role::kParameter);
  EXPECT_EQ(graph.role(op_named(graph, "x")), Role::kInput);
  EXPECT_EQ(graph.role(op_named(graph, "flat")), Role::kView);
  const OpId conv = op_named(graph, "conv");
  EXPECT_EQ(graph.flops(conv), 2.0 * 2 * 4 * 8 * 8 * 8 * 9);
  EXPECT_EQ(graph.bytes(graph.outputs(conv)[0]), 2 * 4 * 8 * 8 * 4);
  EXPECT_EQ(graph.parameter_bytes(), 4 * 8 * 3 * 3 * 4);
  EXPECT_EQ(graph.attributes(conv), "pads = [1, 1, 1, 1]\nstrides = [2, 2]");
  EXPECT_TRUE(lowered.report.unknown_shapes.empty());
}

TEST(OnnxModel, SizesOfNamedDimensionsComeFromTheUser) {
  WireWriter graph;
  WireWriter shape;
  shape.message(1, WireWriter().bytes(2, "batch")).message(1, WireWriter().varint(1, 64));
  graph.message(11, value("x", shape));
  graph.message(5, weight("w", {64, 10}));
  graph.message(1, node({"mm", "MatMul", {"x", "w"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "y"));
  const Lowered as_one = lower_or_die(model(graph));
  EXPECT_EQ(as_one.report.assumed_dims, (std::map<std::string, std::size_t>{{"batch", 1}}));
  EXPECT_EQ(as_one.graph.total_flops(), 2.0 * 64 * 10);
  const Lowered as_eight = lower_or_die(model(graph), {.dims = {{"batch", 8}}});
  EXPECT_TRUE(as_eight.report.assumed_dims.empty());
  EXPECT_EQ(as_eight.graph.total_flops(), 2.0 * 8 * 64 * 10);
}

TEST(OnnxModel, ShapesThatTheModelComputesAreFolded) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({3, 4, 5})));
  graph.message(5, integers("one", {1}));
  graph.message(5, integers("rest", {-1}));
  graph.message(1, node({"shape", "Shape", {"x"}, {"s"}}));
  graph.message(1, node({"first", "Gather", {"s", "one"}, {"d"}}));
  graph.message(1, node({"join", "Concat", {"d", "rest"}, {"t"}, {integer("axis", 0)}}));
  graph.message(1, node({"reshape", "Reshape", {"x", "t"}, {"y"}}));
  graph.message(1, node({"tanh", "Tanh", {"y"}, {"z"}}));
  graph.message(12, WireWriter().bytes(1, "z"));
  const Lowered lowered = lower_or_die(model(graph));
  EXPECT_EQ(op_named(lowered.graph, "shape"), kNoOp);
  const auto shape = lowered.graph.shape(lowered.graph.outputs(op_named(lowered.graph, "tanh"))[0]);
  EXPECT_EQ(std::vector<std::int64_t>(shape.begin(), shape.end()), (std::vector<std::int64_t>{4, 15}));
}

TEST(OnnxModel, WeightsMadeByConstantOfShapeAreParameters) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({2, 6})));
  graph.message(5, integers("size", {6, 7}));
  graph.message(1, node({"make", "ConstantOfShape", {"size"}, {"w"}}));
  graph.message(1, node({"mm", "MatMul", {"x", "w"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "y"));
  const Lowered lowered = lower_or_die(model(graph));
  EXPECT_EQ(lowered.graph.parameter_bytes(), 6 * 7 * 4);
  EXPECT_EQ(lowered.graph.source_nodes(), 2U);
  EXPECT_EQ(lowered.graph.source_edges(), 1U);
}

TEST(OnnxModel, NodesMayStandInAnyOrder) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({3, 4})));
  graph.message(1, node({"second", "Tanh", {"y"}, {"z"}}));
  graph.message(1, node({"first", "Transpose", {"x"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "z"));
  const Lowered lowered = lower_or_die(model(graph));
  EXPECT_EQ(lowered.graph.source_edges(), 1U);
  const auto shape = lowered.graph.shape(lowered.graph.outputs(op_named(lowered.graph, "second"))[0]);
  EXPECT_EQ(std::vector<std::int64_t>(shape.begin(), shape.end()), (std::vector<std::int64_t>{4, 3}));
}

TEST(OnnxModel, SaysWhatIsWrong) {
  EXPECT_EQ(onnx_error("\x08"), "damaged protobuf data: a number is cut off");
  EXPECT_EQ(onnx_error(WireWriter().varint(1, 8).str()), "it is no ONNX model: it has no graph");
  EXPECT_EQ(onnx_error(WireWriter().varint(1, 2).message(7, WireWriter().bytes(2, "old")).str()),
            "its IR version is 2; versions from 3 (2017) on are read: export it again with newer tools");
  WireWriter dangling;
  dangling.message(1, node({"relu", "Relu", {"nowhere"}, {"y"}}));
  EXPECT_EQ(onnx_error(model(dangling)), "node 'relu' reads 'nowhere', which nothing makes");
  WireWriter twice;
  twice.message(11, value("x", dims_of({5})));
  twice.message(1, node({"one", "Relu", {"x"}, {"y"}})).message(1, node({"two", "Tanh", {"x"}, {"y"}}));
  EXPECT_EQ(onnx_error(model(twice)), "'y' is made by two nodes");
  WireWriter long_shape;
  long_shape.message(5, weight("w", std::vector<std::int64_t>(40, 1)));
  EXPECT_EQ(onnx_error(model(long_shape)), "a weight has more than 32 dimensions");
}

// A Gather of a tensor by itself doubles the rank; ranks beyond what a graph may have stay unknown.
TEST(OnnxModel, RanksDoNotGrowWithoutBound) {
  WireWriter graph;
  graph.message(11, value("x0", dims_of({2, 2})));
  std::vector<std::string> names{"x0"};
  for (int i = 1; i < 40; ++i) {
    names.push_back(fmt::format("x{}", i));
    graph.message(1, node({names[i], "Gather", {names[i - 1], names[i - 1]}, {names[i]}}));
  }
  graph.message(12, WireWriter().bytes(1, names.back()));
  EXPECT_FALSE(lower_or_die(model(graph)).report.unknown_shapes.empty());
}

TEST(OnnxModel, ConstantsOfAllKindsAreLeaves) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({2, 3})));
  const auto constant = [&](std::string_view name, const WireWriter& attribute) {
    graph.message(1, node({name, "Constant", {}, {name}, {attribute}}));
  };
  constant("whole", integer("value_int", 7));
  constant("wholes", list("value_ints", {3, 2}));
  constant("float", WireWriter().bytes(1, "value_float").fixed32(2, 0x40000000));
  constant("text", words("value_string", "abc"));
  constant(
      "sparse",
      WireWriter()
          .bytes(1, "sparse_value")
          .message(
              22, WireWriter().message(1, weight("", {4})).message(2, integers("", {0, 1, 2, 3})).packed(3, {30, 20})));
  graph.message(1, node({"reshape", "Reshape", {"x", "wholes"}, {"y"}}));
  graph.message(1, node({"use", "Use", {"y", "whole", "float", "text", "sparse"}, {"z"}}));
  graph.message(12, WireWriter().bytes(1, "z"));
  const Graph lowered = lower_or_die(model(graph)).graph;
  EXPECT_EQ(sizes_of_output(lowered, "reshape"), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(lowered.role(op_named(lowered, "float")), Role::kConstant);
  EXPECT_EQ(lowered.role(op_named(lowered, "text")), Role::kConstant);
  EXPECT_EQ(lowered.parameter_bytes(), 30 * 20 * 4) << "a sparse weight with its zeros";
}

TEST(OnnxModel, SparseWeightsAreAsLargeAsRuntimesMakeThem) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({2, 6})));
  graph.message(15, WireWriter().message(1, weight("w", {4})).message(2, integers("", {0, 1, 2, 3})).packed(3, {6, 7}));
  graph.message(1, node({"mm", "MatMul", {"x", "w"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "y"));
  EXPECT_EQ(lower_or_die(model(graph)).graph.parameter_bytes(), 6 * 7 * 4);
}

TEST(OnnxModel, WhatATransposedWeightSharesIsCountedOnce) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({2, 6})));
  graph.message(5, weight("table", {50, 6})).message(5, integers("ids", {1, 2, 3}));
  graph.message(1, node({"embed", "Gather", {"table", "row"}, {"e"}}));
  graph.message(1, node({"row", "ArgMax", {"x"}, {"row"}, {integer("axis", 1), integer("keepdims", 0)}}));
  graph.message(1, node({"turn", "Transpose", {"table"}, {"t"}, {list("perm", {1, 0})}}));
  graph.message(1, node({"head", "MatMul", {"e", "t"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "y"));
  const Graph lowered = lower_or_die(model(graph)).graph;
  EXPECT_EQ(lowered.parameter_bytes(), 50 * 6 * 4);
  EXPECT_EQ(lowered.role(op_named(lowered, "t")), Role::kConstant);
  EXPECT_EQ(lowered.flops(op_named(lowered, "head")), 2.0 * 2 * 50 * 6);
}

struct KnownCounts {
  std::string_view file;
  std::size_t nodes, edges;
  std::size_t unknown = 0;  // values whose sizes depend on data
};

TEST(OnnxModelData, NodesAndEdgesAreThoseOfTheFiles) {
  const std::filesystem::path folder = data_folder();
  if (!std::filesystem::exists(folder / "onnx_light")) GTEST_SKIP() << "no onnx_light in the data folder (BERTH_DATA)";
  for (const KnownCounts& known : {KnownCounts{"onnx_light/light_squeezenet.onnx", 105, 112},
                                   {"onnx_light/light_inception_v1.onnx", 237, 263},
                                   {"onnx_light/light_resnet50.onnx", 415, 430},
                                   {"onnx_light/light_vgg19.onnx", 82, 81},
                                   {"onnxruntime_testdata/3layer_bloom_optimized_training.onnx", 500, 695},
                                   {"onnxruntime_testdata/bert_toy_optimized.onnx", 384, 450}}) {
    SCOPED_TRACE(known.file);
    const auto lowered = import_model((folder / known.file).string());
    ASSERT_TRUE(lowered.ok()) << lowered.error().message;
    EXPECT_EQ(lowered->graph.source_nodes(), known.nodes);
    EXPECT_EQ(lowered->graph.source_edges(), known.edges);
    EXPECT_LE(lowered->report.unknown_shapes.size(), known.unknown);
    EXPECT_GT(lowered->graph.total_flops(), 0.0);
  }
}

}  // namespace
}  // namespace berth
