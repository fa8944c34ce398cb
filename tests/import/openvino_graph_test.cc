// SPDX-License-Identifier: Apache-2.0
// OpenVINO models: small files written by hand, what becomes of them, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "files/files.h"
#include "import/hsdag_graph.h"
#include "import/openvino/execution_graph.h"
#include "import/openvino/ir_words.h"
#include "import/openvino/openvino_model.h"
#include "import/openvino_text.h"
#include "import/parts.h"
#include "model/lower.h"
#include "model/small_model.h"

namespace berth {
namespace {

using Integers = std::vector<std::int64_t>;

// "batch,3,9": sizes, or symbols where there is none.
std::string ir_shape(const Model& model, std::string_view value) {
  const auto found = std::ranges::find(model.values, value, &Value::name);
  if (found == model.values.end()) return "no such value";
  if (!found->shape) return "unknown";
  std::vector<std::string> sizes;
  for (const Dim& dim : *found->shape) sizes.push_back(dim.known() ? std::to_string(dim.size) : dim.symbol);
  return join(sizes, ",");
}

TEST_F(OpenVino, LayersBecomeNodesLeavesAndOutputs) {
  const Model model = model_of(ir_file(convolution_layers(), kConvolutionEdges));
  EXPECT_EQ(model.title, "toy");
  EXPECT_EQ(model.dialect, Dialect::kOpenVino);
  EXPECT_EQ(model.source_nodes, 9U);
  EXPECT_EQ(model.source_edges, 8U) << "distinct pairs of tensor and reader";
  EXPECT_EQ(leaves_of(model), "w:parameter x:input b:parameter");
  ASSERT_EQ(model.nodes.size(), 5U);
  const Node& conv = node_named(model, "net/conv");
  EXPECT_EQ(conv.type, "Convolution");
  EXPECT_EQ(conv.module, "net");
  EXPECT_EQ(names_of(model, conv.inputs), "x w32");
  EXPECT_EQ(names_of(model, conv.outputs), "net/conv");
  EXPECT_EQ(*conv.find<Integers>("strides"), (Integers{1, 1}));
  EXPECT_EQ(*conv.find<std::string>("auto_pad"), "explicit");
  EXPECT_EQ(names_of(model, node_named(model, "square").inputs), "add add");
  EXPECT_EQ(names_of(model, node_named(model, "pool").outputs), "pool") << "nobody reads the indices";
  EXPECT_EQ(names_of(model, model.outputs), "pool");
  EXPECT_EQ(ir_shape(model, "net/conv"), "1,8,7,7");
  EXPECT_EQ(model.values[model.leaves[0].value].dtype, DType::kF16);
  const auto lowered = lower(model);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->graph.attributes(op_named(lowered->graph, "net/conv")),
            "strides = [1, 1]\npads_begin = [0, 0]\npads_end = [0, 0]\ndilations = [1, 1]\nauto_pad = explicit");
}

TEST_F(OpenVino, Version10IsTheSame) {
  std::string text = ir_file(convolution_layers(), kConvolutionEdges, 10);
  for (std::size_t at = 0; (at = text.find("<input><port id=\"0\" precision=\"FP32\"", at)) != std::string::npos;) {
    text.erase(at + std::string_view("<input><port id=\"0\"").size(), std::string_view(" precision=\"FP32\"").size());
  }
  EXPECT_EQ(model_of(text).nodes.size(), 5U);
  EXPECT_EQ(ir_error_of(ir_file(convolution_layers(), kConvolutionEdges, 7)),
            "its IR version is 7; versions 10 and 11 are read: save the model again with a newer OpenVINO");
}

TEST_F(OpenVino, ConstantsThatHoldWeightsAreParameters) {
  std::string layers;
  int id = 0;
  const auto constant = [&](std::string_view name, std::string_view port) {
    layers += ir_layer(id++, name, "Const", "", "", port);
  };
  constant("matrix", "FP32 2,2");
  constant("bias", "FP16 17");
  constant("few", "FP32 16");
  constant("factor", "FP32 1,1,1");
  constant("scalar", "FP32");
  constant("axes", "I64 64,64");
  constant("packed", "U4 64,64");
  constant("bytes", "U8 1000");
  constant("mask", "BOOL 9,9");
  constant("text", "STRING 40");
  constant("empty", "FP32 9,0");
  constant("huge", "FP32 9223372036854775807,9223372036854775807");
  EXPECT_EQ(
      leaves_of(model_of(ir_file(layers, ""))),
      "matrix:parameter bias:parameter few:constant factor:constant scalar:constant axes:constant packed:parameter "
      "bytes:parameter mask:constant text:constant empty:constant huge:parameter");
}

TEST_F(OpenVino, DynamicSizesCarryTheNameOfTheirInput) {
  const std::string layers =
      ir_layer(0, "ids", "Parameter", R"(shape="?,?" element_type="i64")", "", "I64 -1,-1") +
      ir_layer(1, "table", "Const", "", "", "FP32 100,8") + ir_layer(2, "axis", "Const", "", "", "I64") +
      ir_layer(3, "embed", "Gather", "", "FP32 100,8 | I64 -1,-1 | I64", "FP32 -1,-1,8") +
      ir_layer(4, "heads", "Reshape", "", "FP32 -1,-1,8 | I64 4", "FP32 -1,-1,2,4") +
      ir_layer(5, "shape", "Const", "", "", "I64 4") +
      ir_layer(6, "turned", "Transpose", "", "FP32 -1,-1,2,4 | I64 4", "FP32 -1,2,-1,4") +
      ir_layer(7, "scores", "MatMul", R"(transpose_a="false" transpose_b="true")", "FP32 -1,2,-1,4 | FP32 -1,2,-1,4",
               "FP32 -1,2,-1,-1") +
      ir_layer(8, "soft", "SoftMax", R"(axis="3")", "FP32 -1,2,-1,-1", "FP32 -1,2,-1,-1") +
      ir_layer(9, "joined", "Concat", R"(axis="-1")", "FP32 -1,2,-1,-1 | FP32 -1,2,-1,4", "FP32 -1,2,-1,-1") +
      ir_layer(10, "any", "Parameter", R"(shape="..." element_type="f32")", "", "FP32") +
      ir_layer(11, "parts", "Split", R"(num_splits="2")", "FP32 -1,2,-1,-1", "FP32 -1,1,-1,-1 | FP32 -1,1,-1,-1") +
      ir_layer(12, "y", "Result", "", "FP32 -1,1,-1,-1", "") + ir_layer(13, "any2", "ReLU", "", "FP32", "FP32");
  const Model model = model_of(ir_file(
      layers,
      "1:0>3:0 0:0>3:1 2:0>3:2 3:3>4:0 5:0>4:1 4:2>6:0 5:0>6:1 6:2>7:0 6:2>7:1 7:2>8:0 8:1>9:0 6:2>9:1 9:2>11:0 "
      "11:2>12:0 10:0>13:0"));
  EXPECT_EQ(ir_shape(model, "embed"), "ids.0,ids.1,8");
  EXPECT_EQ(ir_shape(model, "turned"), "ids.0,2,ids.1,4");
  EXPECT_EQ(ir_shape(model, "scores"), "ids.0,2,ids.1,ids.1");
  EXPECT_EQ(ir_shape(model, "soft"), "ids.0,2,ids.1,ids.1");
  EXPECT_EQ(ir_shape(model, "joined"), "ids.0,2,ids.1,joined.3") << "a sum of sizes is a size of its own";
  EXPECT_EQ(ir_shape(model, "any"), "unknown");
  EXPECT_EQ(ir_shape(model, "any2"), "unknown") << "comes from an input of any rank";
  EXPECT_EQ(ir_shape(model, "axis"), "");
  EXPECT_EQ(ir_shape(model, "parts:1"), "ids.0,1,ids.1,joined.3");
}

TEST_F(OpenVino, LongNamesAreCutInNamesOfSizes) {
  const std::string name(200, 'n');
  const Model model = model_of(ir_file(ir_layer(7, name, "Parameter", "", "", "FP32 -1"), ""));
  EXPECT_EQ(model.values[0].name, name);
  EXPECT_EQ(model.values[0].shape->front().symbol, std::string(96, 'n') + "#7.0");
}

TEST_F(OpenVino, WindowsMakeNewSizes) {
  const std::string layers = ir_layer(0, "x", "Parameter", "", "", "FP32 -1,3,-1,-1") +
                             ir_layer(1, "w", "Const", "", "", "FP32 8,3,3,3") +
                             ir_layer(2, "c", "Convolution", "", "FP32 -1,3,-1,-1 | FP32 8,3,3,3", "FP32 -1,8,-1,-1") +
                             ir_layer(3, "r", "ReLU", "", "FP32 -1,8,-1,-1", "FP32 -1,8,-1,-1");
  const Model model = model_of(ir_file(layers, "0:0>2:0 1:0>2:1 2:2>3:0"));
  EXPECT_EQ(ir_shape(model, "r"), "x.0,8,c.2,c.3");
}

// A convolution with strides and padding, a pool, a transposed convolution, and a join of two lengths.
std::string dynamic_network() {
  const std::string same = R"(strides="1, 1" pads_begin="0, 0" pads_end="0, 0" auto_pad="same_upper")";
  return ir_file(
      ir_layer(0, "x", "Parameter", "", "", "FP32 -1,3,-1,-1") + ir_layer(1, "w", "Const", "", "", "FP32 8,3,7,7") +
          ir_layer(2, "c", "Convolution",
                   R"(strides="2, 2" pads_begin="3, 3" pads_end="3, 3" dilations="1, 1" auto_pad="explicit")",
                   "FP32 -1,3,-1,-1 | FP32 8,3,7,7", "FP32 -1,8,-1,-1") +
          ir_layer(3, "p", "MaxPool",
                   R"(strides="2, 2" pads_begin="0, 0" pads_end="0, 0" kernel="3, 3" rounding_type="ceil")",
                   "FP32 -1,8,-1,-1", "FP32 -1,8,-1,-1") +
          ir_layer(4, "v", "Const", "", "", "FP32 2,4,4,3,3") +
          ir_layer(5, "g", "GroupConvolution", same, "FP32 -1,8,-1,-1 | FP32 2,4,4,3,3", "FP32 -1,8,-1,-1") +
          ir_layer(6, "u", "Const", "", "", "FP32 8,8,2,2") +
          ir_layer(7, "t", "ConvolutionBackpropData", R"(strides="2, 2" pads_begin="0, 0" pads_end="0, 0")",
                   "FP32 -1,8,-1,-1 | FP32 8,8,2,2", "FP32 -1,8,-1,-1") +
          ir_layer(8, "r", "ReLU", "", "FP32 -1,8,-1,-1", "FP32 -1,8,-1,-1") +
          ir_layer(9, "j", "Concat", R"(axis="-1")", "FP32 -1,8,-1,-1 | FP32 -1,8,-1,-1", "FP32 -1,8,-1,-1"),
      "0:0>2:0 1:0>2:1 2:2>3:0 3:1>5:0 4:0>5:1 5:2>7:0 6:0>7:1 7:2>8:0 2:2>9:0 8:1>9:1");
}

TEST_F(OpenVino, GivenSizesGoThroughWindowsAndJoins) {
  const Model model = model_of(dynamic_network(), {{"x.0", 5}, {"x.2", 224}, {"x.3", 112}});
  EXPECT_EQ(ir_shape(model, "c"), "5,8,112,56");
  EXPECT_EQ(ir_shape(model, "p"), "5,8,56,28") << "ceil((112 - 3) / 2) + 1";
  EXPECT_EQ(ir_shape(model, "g"), "5,8,56,28") << "padded to the same size";
  EXPECT_EQ(ir_shape(model, "r"), "5,8,112,56");
  EXPECT_EQ(ir_shape(model, "j"), "5,8,112,112");
}

TEST_F(OpenVino, SizesThatDoNotFollowKeepTheirNames) {
  const Model model = model_of(dynamic_network(), {{"x.2", 224}, {"p.3", 10}});
  EXPECT_EQ(ir_shape(model, "x"), "x.0,3,224,x.3");
  EXPECT_EQ(ir_shape(model, "c"), "x.0,8,112,c.3");
  EXPECT_EQ(ir_shape(model, "p"), "x.0,8,56,10") << "a size may be given in the middle";
  EXPECT_EQ(ir_shape(model, "r"), "x.0,8,112,20");
  EXPECT_EQ(ir_shape(model, "j"), "x.0,8,112,j.3") << "one part is not known";
  const Model tiny = model_of(dynamic_network(), {{"x.2", 1}});
  EXPECT_EQ(ir_shape(tiny, "c"), "x.0,8,1,c.3");
  EXPECT_EQ(ir_shape(tiny, "p"), "x.0,8,p.2,p.3") << "a window of 3 does not fit";
}

TEST_F(OpenVino, StatesAreBuffers) {
  const std::string state = R"(variable_id="past" variable_type="f32" variable_shape="2,4")";
  const std::string layers = ir_layer(0, "start", "Const", "", "", "FP32 2,4") +
                             ir_layer(1, "read", "ReadValue", state, "FP32 2,4", "FP32 2,4") +
                             ir_layer(2, "next", "Sqrt", "", "FP32 2,4", "FP32 2,4") +
                             ir_layer(3, "write", "Assign", state, "FP32 2,4", "FP32 2,4");
  const Model model = model_of(ir_file(layers, "0:0>1:0 1:1>2:0 2:1>3:0"));
  EXPECT_EQ(leaves_of(model), "start:parameter past:buffer");
  EXPECT_EQ(names_of(model, node_named(model, "read").inputs), "past start");
  EXPECT_EQ(ir_shape(model, "past"), "2,4");
  EXPECT_EQ(node_named(model, "read").colocate, "state:past");
  EXPECT_EQ(node_named(model, "write").colocate, "state:past");
  EXPECT_EQ(model.leaves.back().colocate, "state:past");
  EXPECT_EQ(node_named(model, "write").control, std::vector<std::uint32_t>{0});
  EXPECT_EQ(ir_error_of(ir_file(ir_layer(0, "r", "ReadValue", "", "", "FP32 2"), "")),
            "layer \"r\": a ReadValue needs a variable_id");
  EXPECT_EQ(ir_error_of(ir_file(layers + ir_layer(4, "again", "Assign", state, "FP32 2,4", "FP32 2,4"),
                                "0:0>1:0 1:1>2:0 2:1>3:0 2:1>4:0")),
            "layer \"again\": another Assign writes the same variable");
}

TEST_F(OpenVino, TypesAttributesAndDevices) {
  const std::string layers = ir_layer(0, "x", "Parameter", "", "", "FP32 4") +
                             R"(<layer id="1" name="f&lt;1&gt;" type="Fused" version="extension">
    <data alpha="0.5" deep="true" kernel="3" mode="same, wide" axes="" steps="1, 2.5"/>
    <rt_info><attribute name="fused_names" version="0" value="a"/><user_data name="affinity" value="GPU.1" version=""/></rt_info>
    <input><port id="0"><dim>4</dim></port></input>
    <output><port id="1" precision="BF16" names="out"><dim> 4 </dim><rt_info/></port></output></layer>)";
  const Model model = model_of(ir_file(layers, "0:0>1:0"));
  const Node& node = node_named(model, "f<1>");
  EXPECT_EQ(node.type, "extension.Fused");
  EXPECT_EQ(node.device, "GPU.1");
  EXPECT_EQ(*node.find<double>("alpha"), 0.5);
  EXPECT_EQ(node.integer("deep", 0), 1);
  EXPECT_EQ(*node.find<Integers>("kernel"), Integers{3});
  EXPECT_EQ(*node.find<std::string>("mode"), "same, wide");
  EXPECT_EQ(*node.find<Integers>("axes"), Integers{});
  EXPECT_EQ(*node.find<std::vector<double>>("steps"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(model.values[node.outputs[0]].dtype, DType::kBF16);
}

TEST(OpenVinoNames, ElementTypes) {
  const std::map<std::string, std::string> known{
      {"FP16", "f16"}, {"f16", "f16"}, {"BF16", "bf16"}, {"NF4", "i4"},       {"U4", "i4"},   {"U1", "i4"},
      {"BIN", "i4"},   {"u2", "i4"},   {"BOOL", "bool"}, {"boolean", "bool"}, {"U64", "i64"}, {"F8E4M3", "f8"},
      {"U8", "u8"},    {"I8", "i8"},   {"FP64", "f64"},  {"i16", "i16"}};
  for (const auto& [name, ours] : known) EXPECT_EQ(name_of(openvino::element_type(name).value()), ours) << name;
  for (const auto* name : {"", "STRING", "UNSPECIFIED", "dynamic", "FP33", "f16f16f16f16"}) {
    EXPECT_FALSE(openvino::element_type(name)) << name;
  }
}

TEST(OpenVinoNames, ModulePaths) {
  EXPECT_EQ(openvino::module_path("/layer1/layer1.0/conv1/Conv/WithoutBiases"), "layer1.0.conv1");
  EXPECT_EQ(openvino::module_path("/encoder/layer.0/output/dense/MatMul"), "encoder.layer.0.output.dense");
  EXPECT_EQ(openvino::module_path("__module.bert.encoder.layer.0.output/aten::linear/MatMul"),
            "bert.encoder.layer.0.output");
  EXPECT_EQ(openvino::module_path("Reshape_121"), "");
  EXPECT_EQ(openvino::module_path(""), "");
  EXPECT_EQ(openvino::module_path("a/b"), "a");
}

TEST_F(OpenVino, GraphAsHsdagBuildsIt) {
  const auto graph = read_hsdag_graph(ir_file(convolution_layers(), kConvolutionEdges));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->names, (std::vector<std::string>{"w", "x", "w32", "net/conv", "b", "add", "square", "pool", "y"}));
  EXPECT_EQ(graph->types[0], "Const");
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{{0, 2}, {1, 3}, {2, 3}, {3, 5},
                                                                   {4, 5}, {5, 6}, {6, 7}, {7, 8}};
  EXPECT_EQ(graph->edges, edges);
}

// Made by OpenVINO 2026.4 (tools/fixtures/make_resnet50_ir.py). The counts are those of table 1 of HSDAG.
TEST_F(OpenVino, ResNet50AsOpenVinoSavesIt) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const auto text = read_file((source_folder() / "tests/data/openvino/resnet50_fp16.xml.gz").string());
  ASSERT_TRUE(text) << text.error().message;
  const auto graph = read_hsdag_graph(*text);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->names.size(), 396U);
  EXPECT_EQ(graph->edges.size(), 411U);
  EXPECT_EQ(std::ranges::count(graph->types, "Const"), 110);
  EXPECT_EQ(std::ranges::count(graph->types, "Convolution"), 53);

  const Model model = model_of(*text);
  EXPECT_EQ(model.source_nodes, 396U);
  EXPECT_EQ(model.source_edges, 411U);
  EXPECT_EQ(model.nodes.size(), 396U - 110 - 2);
  EXPECT_EQ(std::ranges::count(model.leaves, Role::kParameter, &Leaf::role), 108) << "weights and biases";
  EXPECT_EQ(std::ranges::count(model.leaves, Role::kConstant, &Leaf::role), 2) << "axes and a shape";
  std::int64_t parameters = 0;
  for (const Leaf& leaf : model.leaves) {
    if (leaf.role != Role::kParameter) continue;
    std::int64_t elements = 1;
    for (const Dim& dim : *model.values[leaf.value].shape) elements *= dim.size;
    parameters += elements;
  }
  EXPECT_EQ(parameters, 25'530'472)
      << "25,557,032 less half of the 53,120 numbers of the batch norms, which are folded";
  EXPECT_EQ(node_named(model, "/layer1/layer1.0/conv2/Conv/WithoutBiases").module, "layer1.0.conv2");

  const auto lowered = lower(model);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->graph.parameter_bytes(), 2 * 25'530'472) << "as the .bin holds them";
}

TEST_F(OpenVino, ExecutionGraphsGiveMeasuredTimes) {
  const std::string layers =
      ir_layer(0, "x", "Input", R"(execOrder="0" execTimeMcs="not_executed" originalLayersNames="x")", "", "FP32 4") +
      ir_layer(1, "conv", "Convolution", R"(execTimeMcs="500" originalLayersNames="conv,add,relu" primitiveType="jit")",
               "FP32 4", "FP16 4") +
      ir_layer(2, "reorder", "Reorder", R"(execTimeMcs="2.5" originalLayersNames="")", "FP16 4", "FP32 4");
  const std::string text = ir_file(layers, "0:0>1:0 1:1>2:0");
  const auto times = read_execution_graph(text);
  ASSERT_TRUE(times) << times.error().message;
  const std::vector<ExecutionTime> expected{{"conv", "Convolution", {"conv", "add", "relu"}, 500.0},
                                            {"reorder", "Reorder", {}, 2.5}};
  EXPECT_EQ(*times, expected);
  EXPECT_NE(ir_error_of(text).find("it is an execution graph"), std::string::npos);
  const auto no_times = read_execution_graph(ir_file(convolution_layers(), kConvolutionEdges));
  ASSERT_FALSE(no_times);
  EXPECT_NE(no_times.error().message.find("PERF_COUNT=YES"), std::string::npos);
  for (const auto* wrong : {"-1", "nan", "5 us", ""}) {
    const auto refused =
        read_execution_graph(ir_file(ir_layer(0, "a", "T", fmt::format("execTimeMcs=\"{}\"", wrong), "", ""), ""));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.starts_with("layer \"a\": execTimeMcs is ")) << refused.error().message;
  }
}

}  // namespace
}  // namespace berth
