// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/onnx_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "io/model_file.h"
#include "model/lower.h"
#include "support/wire_writer.h"

namespace berth {
namespace {

constexpr int kFloat = 1, kInt64 = 7;

WireWriter shape_of(const std::vector<std::int64_t>& dims) {
  WireWriter shape;
  for (const std::int64_t dim : dims) shape.message(1, WireWriter().varint(1, dim));
  return shape;
}

WireWriter value(std::string_view name, const WireWriter& shape) {
  return WireWriter().bytes(1, name).message(2,
                                             WireWriter().message(1, WireWriter().varint(1, kFloat).message(2, shape)));
}

WireWriter weight(std::string_view name, const std::vector<std::int64_t>& dims) {
  return WireWriter().packed(1, dims).varint(2, kFloat).bytes(8, name);
}

WireWriter integers(std::string_view name, const std::vector<std::int64_t>& numbers) {
  return WireWriter()
      .varint(1, static_cast<std::int64_t>(numbers.size()))
      .varint(2, kInt64)
      .packed(7, numbers)
      .bytes(8, name);
}

struct NodeParts {
  std::string_view name, type;
  std::vector<std::string_view> inputs, outputs;
  std::vector<WireWriter> attributes = {};
};

WireWriter node(const NodeParts& parts) {
  WireWriter message;
  for (const std::string_view input : parts.inputs) message.bytes(1, input);
  for (const std::string_view output : parts.outputs) message.bytes(2, output);
  message.bytes(3, parts.name).bytes(4, parts.type);
  for (const WireWriter& attribute : parts.attributes) message.message(5, attribute);
  return message;
}

WireWriter integer(std::string_view name, std::int64_t value) { return WireWriter().bytes(1, name).varint(3, value); }
WireWriter list(std::string_view name, const std::vector<std::int64_t>& values) {
  return WireWriter().bytes(1, name).packed(8, values);
}

std::string model(const WireWriter& graph) { return WireWriter().varint(1, 8).message(7, graph).str(); }

Lowered lower_or_die(const std::string& bytes, const LowerOptions& options = {}) {
  auto model = read_onnx_model(bytes, "test");
  EXPECT_TRUE(model.ok()) << model.error().message;
  auto lowered = lower(*std::move(model), options);
  EXPECT_TRUE(lowered.ok()) << lowered.error().message;
  return *std::move(lowered);
}

OpId op_named(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return op;
  }
  return kNoOp;
}

// A window of 3 by 3, padded, over 8 channels of 16 by 16, then relu and a flattening.
std::string small_network() {
  WireWriter graph;
  graph.message(11, value("x", shape_of({2, 8, 16, 16})));
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
  graph.message(11, value("x", shape_of({3, 4, 5})));
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
  graph.message(11, value("x", shape_of({2, 6})));
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
  graph.message(11, value("x", shape_of({3, 4})));
  graph.message(1, node({"second", "Tanh", {"y"}, {"z"}}));
  graph.message(1, node({"first", "Transpose", {"x"}, {"y"}}));
  graph.message(12, WireWriter().bytes(1, "z"));
  const Lowered lowered = lower_or_die(model(graph));
  EXPECT_EQ(lowered.graph.source_edges(), 1U);
  const auto shape = lowered.graph.shape(lowered.graph.outputs(op_named(lowered.graph, "second"))[0]);
  EXPECT_EQ(std::vector<std::int64_t>(shape.begin(), shape.end()), (std::vector<std::int64_t>{4, 3}));
}

TEST(OnnxModel, LocalFunctionsAreWrittenOut) {
  WireWriter function;
  function.bytes(1, "Double").bytes(4, "a").bytes(5, "b").bytes(10, "mine");
  function.message(7, node({"plus", "Add", {"a", "a"}, {"b"}}));
  WireWriter graph;
  graph.message(11, value("x", shape_of({5})));
  graph.message(1, node({"call", "Double", {"x"}, {"y"}}).bytes(7, "mine"));
  graph.message(12, WireWriter().bytes(1, "y"));
  const std::string bytes = WireWriter().varint(1, 9).message(7, graph).message(25, function).str();
  const Lowered lowered = lower_or_die(bytes);
  EXPECT_NE(op_named(lowered.graph, "call/plus"), kNoOp);
  EXPECT_EQ(lowered.graph.source_nodes(), 1U);
}

TEST(OnnxModel, SaysWhatIsWrong) {
  const auto error_of = [](const std::string& bytes) {
    const auto model = read_onnx_model(bytes, "test");
    return model ? std::string("none") : model.error().message;
  };
  EXPECT_EQ(error_of("\x08"), "damaged protobuf data: a number is cut off");
  EXPECT_EQ(error_of(WireWriter().varint(1, 8).str()), "it is no ONNX model: it has no graph");
  WireWriter loop;
  loop.message(1, node({"again", "Loop", {}, {"y"}, {WireWriter().bytes(1, "body").message(6, WireWriter())}}));
  EXPECT_EQ(error_of(model(loop)),
            "node 'again' (Loop) has a subgraph, and the file does not say how often it runs; export the model without "
            "control flow");
  WireWriter dangling;
  dangling.message(1, node({"relu", "Relu", {"nowhere"}, {"y"}}));
  EXPECT_EQ(error_of(model(dangling)), "node 'relu' reads 'nowhere', which nothing makes");
  WireWriter twice;
  twice.message(11, value("x", shape_of({5})));
  twice.message(1, node({"one", "Relu", {"x"}, {"y"}})).message(1, node({"two", "Tanh", {"x"}, {"y"}}));
  EXPECT_EQ(error_of(model(twice)), "'y' is made by two nodes");
  WireWriter function;
  function.bytes(1, "Self").bytes(10, "mine").bytes(4, "a").bytes(5, "b");
  function.message(7, node({"again", "Self", {"a"}, {"b"}}).bytes(7, "mine"));
  WireWriter graph;
  graph.message(11, value("x", shape_of({5})));
  graph.message(1, node({"call", "Self", {"x"}, {"y"}}).bytes(7, "mine"));
  EXPECT_EQ(error_of(WireWriter().varint(1, 9).message(7, graph).message(25, function).str()),
            "function 'mine.Self' calls itself, or calls are too deep");
}

struct KnownCounts {
  std::string_view file;
  std::size_t nodes, edges;
};

TEST(OnnxModelData, NodesAndEdgesAreThoseOfTheFiles) {
  const char* stated = std::getenv("BERTH_DATA");
  const std::filesystem::path folder =
      stated != nullptr ? stated : std::filesystem::path(BERTH_SOURCE_DIR) / "../shared/data";
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
  }
}

}  // namespace
}  // namespace berth
