// SPDX-License-Identifier: Apache-2.0
#include "io/model_file.h"

#include <gtest/gtest.h>

#include "io/openvino_text.h"
#include "io/parts.h"
#include "io/tensorflow_sample.h"

namespace berth {
namespace {

std::vector<std::int64_t> shape_of_op(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) != name) continue;
    const auto shape = graph.shape(graph.outputs(op)[0]);
    return {shape.begin(), shape.end()};
  }
  return {};
}

// The sizes behind a Reshape follow from the batch by arithmetic, so the rules must know it while the file is read.
class OpenSizes : public ::testing::Test {
 protected:
  OpenSizes() {
    path_ = folder_.file("m.pbtxt");
    write_bytes(path_, tensorflow::placeholder("x", "[?,3,4]") + tensorflow::constant("rows", "-1,4") +
                           tensorflow::node("flat", "Reshape", "x rows", "T:f32") +
                           tensorflow::node("y", "Relu", "flat", "T:f32"));
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(OpenSizes, ReachTheRulesOfTensorFlow) {
  const auto lowered = import_model(path_, {.dims = {{"batch", 5}}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(shape_of_op(lowered->graph, "x"), (std::vector<std::int64_t>{5, 3, 4}));
  EXPECT_EQ(shape_of_op(lowered->graph, "y"), (std::vector<std::int64_t>{15, 4}));
  EXPECT_TRUE(lowered->report.assumed_dims.empty());
  ASSERT_EQ(lowered->report.dims.size(), 1U);
  EXPECT_EQ(lowered->report.dims[0].name, "batch");
  EXPECT_EQ(lowered->report.dims[0].source, DimSource::kUser);
}

TEST_F(OpenSizes, ReachTheWindowsOfOpenVino) {
  if (!has_openvino()) GTEST_SKIP() << "built without OpenVINO files";
  const std::string path = folder_.file("m.xml");
  write_bytes(path, ir_file(ir_layer(0, "x", "Parameter", "", "", "FP32 -1,3,-1,9") +
                                ir_layer(1, "w", "Const", "", "", "FP32 8,3,3,3") +
                                ir_layer(2, "c", "Convolution", R"(strides="1, 1")", "FP32 -1,3,-1,9 | FP32 8,3,3,3",
                                         "FP32 -1,8,-1,7") +
                                ir_layer(3, "y", "Result", "", "FP32 -1,8,-1,7", ""),
                            "0:0>2:0 1:0>2:1 2:2>3:0"));
  const auto lowered = import_model(path, {.dims = {{"x.0", 2}, {"x.2", 20}}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(shape_of_op(lowered->graph, "c"), (std::vector<std::int64_t>{2, 8, 18, 7}));
  EXPECT_EQ(lowered->graph.total_flops(), 2.0 * 2 * 8 * 18 * 7 * 3 * 9);
  EXPECT_TRUE(lowered->report.assumed_dims.empty());
  ASSERT_EQ(lowered->report.dims.size(), 2U);
  EXPECT_EQ(lowered->report.dims[1].name, "x.2");
  EXPECT_EQ(lowered->report.dims[1].source, DimSource::kUser);
  const auto open = import_model(path);
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(shape_of_op(open->graph, "c"), (std::vector<std::int64_t>{1, 8, 1, 7}));
  EXPECT_TRUE(open->report.assumed_dims.contains("c.2"));
}

TEST_F(OpenSizes, CountAsOneInTheRulesToo) {
  const auto lowered = import_model(path_);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(shape_of_op(lowered->graph, "y"), (std::vector<std::int64_t>{3, 4}));
  EXPECT_TRUE(lowered->report.unknown_shapes.empty());
  EXPECT_TRUE(lowered->report.assumed_dims.contains("batch"));
}

TEST_F(OpenSizes, ThatTheModelDoesNotHaveAreRefused) {
  const auto lowered = import_model(path_, {.dims = {{"bacth", 5}}});
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().message,
            path_ + ": the model has no dimension named 'bacth'; did you mean 'batch'? (it has batch)");
}

// What the reader of a format leaves out or chooses is part of the report, whoever asks.
TEST(ModelFile, SaysWhatOfTensorFlowIsLeftOutAndWhichBranchIsTaken) {
  using tensorflow::function, tensorflow::node;
  const TemporaryFolder folder;
  const std::string path = folder.file("m.pbtxt");
  const std::string functions =
      function({"yes", "a", "r=a", ""}) +
      function({"no", "a", "r=neg:y:0", tensorflow::body_node("neg", "Neg", "a", "T:f32")});
  write_bytes(path, functions + tensorflow::placeholder("x", "[2,3]") + tensorflow::placeholder("p", "[]") +
                        node("if", "If", "p x", "then_branch:$yes else_branch:$no") +
                        tensorflow::constant("prefix", "1") + node("save", "SaveV2", "prefix prefix prefix"));
  const auto lowered = import_model(path);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->report.open_branches, (std::vector<std::string>{"if"}));
  EXPECT_EQ(lowered->report.branches_taken.at("if"), "no");
  EXPECT_EQ(lowered->report.left_out.at("saving and restoring"), 1U);
}

}  // namespace
}  // namespace berth
