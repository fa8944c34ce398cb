// SPDX-License-Identifier: Apache-2.0
// Layers of OpenVINO with bodies: one node each, with the work inside.
#include <gtest/gtest.h>

#include "import/openvino/openvino_model.h"
#include "import/openvino_text.h"

namespace berth {
namespace {

constexpr double kTurnFlops = 2.0 * 4 * 128 * 32;

TEST_F(OpenVino, ALoopIsOneNodeWithTheWorkOfItsBody) {
  const Model model =
      model_of(file_with_loop(iterator_layer(R"(axis="0" start="0" end="-1" stride="1" part_size="1")")));
  ASSERT_EQ(model.nodes.size(), 1U);
  const Node& loop = model.nodes[0];
  EXPECT_EQ(*loop.find<double>("body_flops"), 10 * kTurnFlops);
  EXPECT_EQ(loop.integer("body_bytes", 0), 10 * 4 * (4 * 128 + 128 * 32 + 4 * 32)) << "weights are read every turn";
  EXPECT_EQ(loop.integer("body_turns", 0), 10);
  EXPECT_EQ(names_of(model, loop.inputs), "x loop/weights");
  EXPECT_EQ(leaves_of(model), "x:input loop/weights:parameter");
  EXPECT_EQ(model.source_nodes, 3U);
  EXPECT_TRUE(model.open_loops.empty());
}

TEST_F(OpenVino, TurnsFollowFromTheSlices) {
  const auto turns = [](const std::string& sliced) {
    return model_of(file_with_loop(iterator_layer(sliced))).nodes[0].integer("body_turns", 0);
  };
  EXPECT_EQ(turns(R"(axis="0" part_size="2")"), 5);
  EXPECT_EQ(turns(R"(axis="0" start="-1" end="0" stride="-1")"), 10) << "backwards";
  EXPECT_EQ(turns(R"(axis="0" start="2" end="-1")"), 8);
  EXPECT_EQ(turns(R"(axis="-2")"), 4);
}

TEST_F(OpenVino, ALoopOfUnknownLengthCountsOnceAndIsNamed) {
  const Model model = model_of(file_with_loop(iterator_layer("", "Loop")));
  EXPECT_EQ(*model.nodes[0].find<double>("body_flops"), kTurnFlops);
  EXPECT_EQ(model.open_loops, std::vector<std::string>{"loop"});
}

TEST_F(OpenVino, LoopsInsideLoopsMultiply) {
  const auto nested = [](const std::string& inner) {
    const std::string body = ir_parts(iterator_layer(inner), "");
    const std::string layers =
        ir_layer(0, "x", "Parameter", "", "", "FP32 3,2") +
        ir_layer(1, "outer", "TensorIterator", "", "FP32 3,2", "FP32 3,2",
                 R"(<port_map><input external_port_id="0" axis="0"/></port_map><body>)" + body + "</body>");
    return model_of(ir_file(layers, "0:0>1:0"));
  };
  const Model known = nested(R"(axis="0")");
  EXPECT_EQ(*known.nodes[0].find<double>("body_flops"), 3 * 10 * kTurnFlops);
  EXPECT_EQ(leaves_of(known), "x:input outer/weights:parameter");
  EXPECT_TRUE(known.open_loops.empty());
  EXPECT_EQ(nested("").open_loops, std::vector<std::string>{"outer"});
}

TEST_F(OpenVino, AnIfCountsItsDearerBranch) {
  const auto branch = [](int columns) {
    return ir_parts(ir_layer(0, "w", "Const", "", "", fmt::format("FP32 8,{}", columns)) +
                        ir_layer(1, "m", "MatMul", "", fmt::format("FP32 4,8 | FP32 8,{}", columns),
                                 fmt::format("FP32 4,{}", columns)),
                    "");
  };
  const std::string layers = ir_layer(0, "which", "Parameter", "", "", "BOOL") +
                             ir_layer(1, "choice", "If", "", "BOOL", "FP32 4,-1",
                                      "<then_port_map/><else_port_map/><then_body>" + branch(2) +
                                          "</then_body><else_body>" + branch(3) + "</else_body>");
  const Model model = model_of(ir_file(layers, "0:0>1:0"));
  EXPECT_EQ(*model.nodes[0].find<double>("body_flops"), 2.0 * 4 * 8 * 3);
  EXPECT_EQ(model.nodes[0].inputs.size(), 3U) << "the condition and the weights of both branches";
  EXPECT_TRUE(model.open_loops.empty());
}

TEST_F(OpenVino, FlopsOfBodies) {
  const auto flops = [](std::string_view type, std::string_view inputs, std::string_view output) {
    const std::string body = ir_parts(ir_layer(0, "op", type, "", inputs, output), "");
    const std::string layers =
        ir_layer(0, "loop", "If", "", "", "FP32",
                 "<then_body>" + body + "</then_body><else_body>" + ir_parts("", "") + "</else_body>");
    return *model_of(ir_file(layers, "")).nodes[0].find<double>("body_flops");
  };
  EXPECT_EQ(flops("Convolution", "FP32 1,3,9,9 | FP32 8,3,3,3", "FP32 1,8,7,7"), 2.0 * 8 * 49 * 27);
  EXPECT_EQ(flops("GroupConvolution", "FP32 1,8,9,9 | FP32 8,1,1,3,3", "FP32 1,8,7,7"), 2.0 * 8 * 49 * 9);
  EXPECT_EQ(flops("ConvolutionBackpropData", "FP32 1,3,4,4 | FP32 3,8,2,2", "FP32 1,8,8,8"), 2.0 * 48 * 32);
  EXPECT_EQ(
      flops("LSTMCell", "FP32 4,16 | FP32 4,8 | FP32 4,8 | FP32 32,16 | FP32 32,8 | FP32 32", "FP32 4,8 | FP32 4,8"),
      2.0 * 4 * (32 * 16 + 32 * 8));
  EXPECT_EQ(flops("GRUSequence", "FP32 4,5,16 | FP32 4,1,8 | I64 4 | FP32 1,24,16 | FP32 1,24,8", "FP32 4,1,5,8"),
            2.0 * 4 * 5 * (24 * 16 + 24 * 8));
  EXPECT_EQ(flops("ScaledDotProductAttention", "FP32 1,2,5,8 | FP32 1,2,7,8 | FP32 1,2,7,4", "FP32 1,2,5,4"),
            2.0 * 2 * 5 * 7 * (8 + 4));
  EXPECT_EQ(flops("Sigmoid", "FP32 4", "FP32 4"), 0);
}

}  // namespace
}  // namespace berth
