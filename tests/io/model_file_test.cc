// SPDX-License-Identifier: Apache-2.0
#include "io/model_file.h"

#include <gtest/gtest.h>

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
