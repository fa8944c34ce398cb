// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/contents.h"

#include <gtest/gtest.h>

#include "model/onnx_case.h"

namespace berth {
namespace {

TEST(OnnxContents, ArithmeticOnWholeNumbers) {
  EXPECT_EQ(infer("Shape", {"f32[2,3,4]"}), "i64[3]={2,3,4}");
  EXPECT_EQ(infer("Shape", {"f32[2,3,4]"}, {integer("start", 1), integer("end", -1)}), "i64[1]={3}");
  EXPECT_EQ(infer("Gather", {"i64[3]={2,3,4}", "i64[]={-1}"}), "i64[]={4}");
  EXPECT_EQ(infer("Gather", {"i64[3]={2,3,4}", "i64[2]={0,2}"}), "i64[2]={2,4}");
  EXPECT_EQ(infer("Slice", {"i64[3]={2,3,4}", "i64[1]={1}", "i64[1]={9223372036854775807}"}), "i64[2]={3,4}");
  EXPECT_EQ(infer("Concat", {"i64[1]={2}", "i64[2]={3,-1}"}, {integer("axis", 0)}), "i64[3]={2,3,-1}");
  EXPECT_EQ(infer("com.microsoft.ConcatTraining", {"i64[1]={2}", "i64[1]={3}"}, {integer("axis", 0)}), "i64[2]={2,3}");
  EXPECT_EQ(infer("Unsqueeze", {"i64[]={5}", "i64[1]={0}"}), "i64[1]={5}");
  EXPECT_EQ(infer("Mul", {"i64[2]={2,3}", "i64[]={16}"}), "i64[2]={32,48}");
  EXPECT_EQ(infer("Sub", {"i64[1]={2}", "i64[1]={5}"}), "i64[1]={-3}");
  EXPECT_EQ(infer("Div", {"i64[1]={7}", "i64[1]={2}"}), "i64[1]={3}");
  EXPECT_EQ(infer("Mod", {"i64[1]={7}", "i64[1]={4}"}), "i64[1]={3}");
  EXPECT_EQ(infer("Neg", {"i64[1]={7}"}), "i64[1]={-7}");
  EXPECT_EQ(infer("Min", {"i64[2]={7,1}", "i64[2]={4,4}"}), "i64[2]={4,1}");
  EXPECT_EQ(infer("ReduceProd", {"i64[3]={2,3,4}"}, {integer("keepdims", 0)}), "i64[]={24}");
  EXPECT_EQ(infer("ConstantOfShape", {"i64[1]={2}"}, {words("dtype", "i64"), integer("fill", 1)}), "i64[2]={1,1}");
  EXPECT_EQ(infer("Range", {"i64[]={3}", "i64[]={6}", "i64[]={1}"}), "i64[3]={3,4,5}");
}

TEST(OnnxContents, ComparisonsDecideBranches) {
  EXPECT_EQ(infer("Equal", {"i64[2]={1,-1}", "i64[2]={-1,-1}"}), "bool[2]={0,1}");
  EXPECT_EQ(infer("Greater", {"i64[]={3}", "i64[]={2}"}), "bool[]={1}");
  EXPECT_EQ(infer("LessOrEqual", {"i64[]={3}", "i64[]={2}"}), "bool[]={0}");
  EXPECT_EQ(infer("And", {"bool[]={1}", "bool[]={0}"}), "bool[]={0}");
  EXPECT_EQ(infer("Not", {"bool[]={1}"}), "bool[]={0}");
  EXPECT_EQ(infer("Where", {"bool[2]={0,1}", "i64[2]={7,7}", "i64[2]={8,9}"}), "i64[2]={8,7}");
}

// Exporters take shapes through numbers with a point: Min had no whole numbers before opset 12.
TEST(OnnxContents, NumbersWithAPointAreFollowedWhileTheyAreWhole) {
  EXPECT_EQ(infer("Cast", {"i64[2]={8,128}"}, {integer("to", 1)}), "f32[2]={8,128}");
  EXPECT_EQ(infer("Min", {"f32[2]={8,128}", "f32[2]={512,512}"}), "f32[2]={8,128}");
  EXPECT_EQ(infer("Div", {"f32[1]={8}", "f32[1]={4}"}), "f32[1]={2}");
  EXPECT_EQ(infer("Div", {"f32[1]={9}", "f32[1]={4}"}), "f32[1]") << "2.25 is not 2";
  EXPECT_EQ(infer("Cast", {"i64[1]={9}"}, {integer("to", 9)}), "bool[1]={1}");
  EXPECT_EQ(infer("Cast", {"i64[1]={999}"}, {integer("to", 3)}), "i8[1]") << "may not fit";
}

TEST(OnnxContents, OverflowAndNonsenseAreNotKnown) {
  EXPECT_EQ(infer("Mul", {"i64[1]={9223372036854775807}", "i64[1]={2}"}), "i64[1]");
  EXPECT_EQ(infer("Div", {"i64[1]={7}", "i64[1]={0}"}), "i64[1]");
  EXPECT_EQ(infer("Gather", {"i64[2]={1,2}", "i64[]={5}"}), "i64[]");
  EXPECT_EQ(infer("Add", {"i64[3]={1,2,3}", "i64[2]={1,2}"}), "i64[3]");
  EXPECT_EQ(infer("Range", {"i64[]={0}", "i64[]={65}", "i64[]={1}"}), "i64[65]") << "too long to be a shape";
}

// What a gradient has to be summed over: [8,1,5] and [3,1] make [8,3,5].
TEST(OnnxContents, AxesThatWereStretched) {
  const std::string type = "com.microsoft.BroadcastGradientArgs";
  EXPECT_EQ(infer(type, {"i64[3]={8,1,5}", "i64[2]={3,1}"}, {}, 2), "i64[1]={1}; i64[2]={2,0}");
  EXPECT_EQ(infer(type, {"i64[2]={4,5}", "i64[2]={4,5}"}, {}, 2), "i64[0]={}; i64[0]={}");
}

// A small program: nodes by type with named values; the shape of `wanted` at the end.
struct Step {
  std::string type;
  std::vector<std::string> inputs;
  std::string output;
  Attributes attributes = {};
};

std::string run(const std::vector<std::pair<std::string, std::string>>& known, const std::vector<Step>& steps,
                const std::string& wanted) {
  Model model;
  std::vector<std::pair<std::string, ValueIndex>> values;
  const auto find = [&](const std::string& name) {
    for (const auto& [key, value] : values) {
      if (key == name) return value;
    }
    values.emplace_back(name, model.add({}));
    return values.back().second;
  };
  for (const auto& [name, text] : known) values.emplace_back(name, model.add(value_from(text)));
  for (const Step& step : steps) {
    Node node;
    node.type = step.type;
    node.attributes = step.attributes;
    for (const std::string& input : step.inputs) node.inputs.push_back(find(input));
    node.outputs = {find(step.output)};
    model.nodes.push_back(std::move(node));
  }
  infer_onnx_shapes(model);
  return text_of(model.values[find(wanted)]);
}

// The way PyTorch exports x.view(x.size(0), x.size(1), 16, 64).
TEST(OnnxContents, UnknownSizesLeaveTheOthersKnown) {
  const std::vector<Step> steps{{"Shape", {"x"}, "s"},
                                {"Gather", {"s", "one"}, "length", {integer("axis", 0)}},
                                {"Unsqueeze", {"length", "front"}, "l"},
                                {"Gather", {"s", "nought"}, "batch", {integer("axis", 0)}},
                                {"Unsqueeze", {"batch", "front"}, "b"},
                                {"Concat", {"b", "l", "heads"}, "shape", {integer("axis", 0)}},
                                {"Reshape", {"x", "shape"}, "y"},
                                {"Transpose", {"y"}, "z", {list("perm", {0, 2, 1, 3})}}};
  const std::vector<std::pair<std::string, std::string>> constants{
      {"one", "i64[]={1}"}, {"nought", "i64[]={0}"}, {"front", "i64[1]={0}"}, {"heads", "i64[2]={16,64}"}};
  auto known = constants;
  known.emplace_back("x", "f32[8,128,1024]");
  EXPECT_EQ(run(known, steps, "z"), "f32[8,16,128,64]");
  known.back().second = "f32[?,128,1024]";
  EXPECT_EQ(run(known, steps, "z"), "f32[?,16,128,64]");
  known.back().second = "f32[8,?,1024]";
  EXPECT_EQ(run(known, steps, "z"), "f32[8,16,?,64]");
}

// One size that is not known follows from the number of elements.
TEST(OnnxContents, OneOpenSizeOfAReshapeIsWhatIsLeftOver) {
  EXPECT_EQ(run({{"x", "f32[6,4]"}, {"n", "i64[1]"}, {"four", "i64[1]={4}"}},
                {{"Concat", {"n", "four"}, "shape", {integer("axis", 0)}}, {"Reshape", {"x", "shape"}, "y"}}, "y"),
            "f32[6,4]");
  EXPECT_EQ(run({{"x", "f32[1,4]"}, {"n", "i64[1]"}, {"four", "i64[1]={4}"}},
                {{"Concat", {"n", "four"}, "shape", {integer("axis", 0)}}, {"Expand", {"x", "shape"}, "y"}}, "y"),
            "f32[?,4]");
}

}  // namespace
}  // namespace berth
