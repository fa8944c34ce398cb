// SPDX-License-Identifier: Apache-2.0
#include "import/model_file.h"

#include <gtest/gtest.h>

#include "import/openvino_text.h"
#include "import/parts.h"
#include "import/tensorflow_sample.h"

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

TEST(ModelFile, ASavedModelIsAFolder) {
  const TemporaryFolder folder;
  const std::string model = tensorflow::placeholder("x", "[2,3]") + tensorflow::node("y", "Relu", "x", "T:f32");
  std::filesystem::create_directories(folder.file("net"));
  EXPECT_TRUE(is_model_file(folder.file("net")));
  EXPECT_EQ(import_model(folder.file("net")).error().message,
            folder.file("net") +
                ": is a folder, and no SavedModel: it has no saved_model.pb; give the file of a model "
                "(.onnx .pt2 .xml .pb .pbtxt .meta)");
  for (const std::string name : {"b.pb", "a.onnx", "notes.txt", "c.xml", "d.pt2"}) {
    write_bytes(folder.file(fmt::format("net/{}", name)), "");
  }
  EXPECT_EQ(import_model(folder.file("net")).error().message,
            folder.file("net") +
                ": is a folder, and no SavedModel: it has no saved_model.pb; give one of its files: "
                "a.onnx, b.pb, c.xml and 1 more");
  write_bytes(folder.file("net/saved_model.pbtxt"),
              fmt::format("saved_model_schema_version: 1 meta_graphs {{ graph_def {{ {} }} }}", model));
  for (const std::string& path : {folder.file("net"), folder.file("net/")}) {
    const auto lowered = import_model(path);
    ASSERT_TRUE(lowered) << lowered.error().message;
    EXPECT_EQ(lowered->graph.title(), "net");
    EXPECT_EQ(shape_of_op(lowered->graph, "y"), (std::vector<std::int64_t>{2, 3}));
  }
  write_bytes(folder.file("net/saved_model.pb"), "\xff\xff");
  EXPECT_TRUE(import_model(folder.file("net")).error().message.starts_with(folder.file("net/saved_model.pb: ")))
      << "the binary one comes first, and an error names the file";
}

TEST(ModelFile, TheStepCanBeChosenInTensorFlowGraphsOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.pbtxt");
  write_bytes(path, tensorflow::placeholder("x", "[2,3]") + tensorflow::node("y", "Relu", "x", "T:f32") +
                        tensorflow::node("z", "Tanh", "y", "T:f32"));
  const auto lowered = import_model(path, {.step = {.outputs = {"y"}}});
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(shape_of_op(lowered->graph, "y"), (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(shape_of_op(lowered->graph, "z").empty());
  EXPECT_EQ(lowered->report.left_out, (std::map<std::string, std::size_t>{{"not needed by the outputs", 1}}));
  const std::string other = folder.file("m.onnx");
  write_bytes(other, "");
  EXPECT_EQ(import_model(other, {.step = {.signature = "serve"}}).error().message,
            other +
                ": output nodes, signature and tag can be chosen in TensorFlow graphs only (.pb .pbtxt .meta); the "
                "step of this file is all of it");
}

// What the reader of a format leaves out or chooses is part of the report, whoever asks.
TEST(ModelFile, SaysWhatOfTensorFlowIsLeftOutAndWhichBranchIsTaken) {
  using tensorflow::function, tensorflow::node;
  const TemporaryFolder folder;
  const std::string path = folder.file("m.pbtxt");
  const std::string functions = function({"yes", "a", "r=a", ""}) +
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
