// SPDX-License-Identifier: Apache-2.0
// Shapes by rule: each case is one op whose result is worked out by hand.
#include <gtest/gtest.h>

#include "io/tensorflow_sample.h"

namespace berth::tensorflow {
namespace {

// Shapes of the outputs of one op. Inputs are "[2,3]" (a placeholder), "3,4" (a constant list) or "=1" (a list of one).
std::string shapes_of(std::string_view op, std::string_view inputs, std::string_view attributes = "T:f32") {
  std::string graph, names;
  for (const std::string_view input : split(inputs, ' ')) {
    if (input.empty()) continue;
    const std::string name = fmt::format("i{}", names.size());
    graph += input.starts_with('[') ? placeholder(name, input)
                                    : constant(name, input.starts_with('=') ? input.substr(1) : input);
    names += fmt::format("{} ", name);
  }
  const Model model = read_text(graph + node("op", op, names, attributes), {.outputs = {"op"}});
  std::string text;
  for (const ValueIndex value : model.nodes.back().outputs) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", shape_text(model.values[value]));
  }
  return text;
}

TEST(TensorFlowShapes, Elementwise) {
  EXPECT_EQ(shapes_of("Relu", "[2,3]"), "[2,3]");
  EXPECT_EQ(shapes_of("Add", "[2,1,4] [3,1]"), "[2,3,4]");
  EXPECT_EQ(shapes_of("Add", "[?,4] [4]"), "[batch,4]");
  EXPECT_EQ(shapes_of("Add", "[2] [3]"), "[?]") << "a mistake of the file";
  EXPECT_EQ(shapes_of("SelectV2", "[4] [3,1] []"), "[3,4]");
  EXPECT_EQ(shapes_of("Mystery", "[2,3]"), "[...]");
}

TEST(TensorFlowShapes, MatrixProducts) {
  EXPECT_EQ(shapes_of("MatMul", "[2,3] [3,4]"), "[2,4]");
  EXPECT_EQ(shapes_of("MatMul", "[3,2] [4,3]", "transpose_a:true transpose_b:true"), "[2,4]");
  EXPECT_EQ(shapes_of("MatMul", "[3] [4,3]"), "[...]");
  EXPECT_EQ(shapes_of("BatchMatMulV2", "[5,1,2,3] [7,4,3]", "adj_y:true"), "[5,7,2,4]");
  EXPECT_EQ(shapes_of("Einsum", "[2,3,4] [2,4,5]", "equation:'bij,bjk->bik'"), "[2,3,5]");
  EXPECT_EQ(shapes_of("Einsum", "[2,3,4] [2,4,5]", "equation:'...ij,bjk->bik'"), "[...]");
}

TEST(TensorFlowShapes, Arrays) {
  EXPECT_EQ(shapes_of("Reshape", "[2,3,4] -1,4"), "[6,4]");
  EXPECT_EQ(shapes_of("Reshape", "[?,3,4] -1,12"), "[batch,12]");
  EXPECT_EQ(shapes_of("Reshape", "[?,3,4] -1,4"), "[?,4]");
  EXPECT_EQ(shapes_of("Reshape", "[2,3] [2]"), "[?,?]") << "only the rank is known";
  EXPECT_EQ(shapes_of("ExpandDims", "[2,3] =-1"), "[2,3,1]");
  EXPECT_EQ(shapes_of("ExpandDims", "[2,3] =7"), "[...]");
  EXPECT_EQ(shapes_of("Squeeze", "[1,2,1]"), "[2]");
  EXPECT_EQ(shapes_of("Squeeze", "[1,2,1]", "squeeze_dims:{-1}"), "[1,2]");
  EXPECT_EQ(shapes_of("Transpose", "[2,3,4] 2,0,1"), "[4,2,3]");
  EXPECT_EQ(shapes_of("Tile", "[2,3] 2,5"), "[4,15]");
  EXPECT_EQ(shapes_of("Pad", "[2,3] 1,1,0,2"), "[4,5]");
  EXPECT_EQ(shapes_of("OneHot", "[8] =10"), "[8,10]");
  EXPECT_EQ(shapes_of("Fill", "2,7 []"), "[2,7]");
  EXPECT_EQ(shapes_of("Range", "=2 =11 =3"), "[3]");
  EXPECT_EQ(shapes_of("Shape", "[2,3]"), "[2]");
}

TEST(TensorFlowShapes, Parts) {
  EXPECT_EQ(shapes_of("Pack", "[2,3] [2,3]", "axis:1"), "[2,2,3]");
  EXPECT_EQ(shapes_of("Unpack", "[2,3]", "num:2"), "[3] [3]");
  EXPECT_EQ(shapes_of("Split", "=1 [2,6]", "num_split:3"), "[2,2] [2,2] [2,2]");
  EXPECT_EQ(shapes_of("SplitV", "[2,6] 1,-1 =1", "num_split:2"), "[2,1] [2,5]");
  EXPECT_EQ(shapes_of("Split", "=1 [2,6]", "num_split:99999999999"), "[...]");
  EXPECT_EQ(shapes_of("ConcatV2", "[2,3] [2,4] =-1"), "[2,7]");
  EXPECT_EQ(shapes_of("Concat", "=0 [2,3] [?,3]"), "[?,3]");
  EXPECT_EQ(shapes_of("GatherV2", "[100,8] [2,5] =0"), "[2,5,8]");
  EXPECT_EQ(shapes_of("GatherNd", "[4,5,6] [7,2]"), "[7,6]");
  EXPECT_EQ(shapes_of("Sum", "[2,3,4] 0,-1"), "[3]");
  EXPECT_EQ(shapes_of("Mean", "[2,3,4] =1", "keep_dims:true"), "[2,1,4]");
  EXPECT_EQ(shapes_of("Slice", "[5,6] 1,2 3,-1"), "[3,4]");
  EXPECT_EQ(shapes_of("ArgMax", "[5,6] =1"), "[5]");
  EXPECT_EQ(shapes_of("TopKV2", "[5,6] =2"), "[5,2] [5,2]");
}

TEST(TensorFlowShapes, StridedSlices) {
  EXPECT_EQ(shapes_of("StridedSlice", "[10] =2 =9 =3"), "[3]");
  EXPECT_EQ(shapes_of("StridedSlice", "[10] =-1 =0 =-2", "end_mask:1"), "[5]");
  EXPECT_EQ(shapes_of("StridedSlice", "[4,5,6] 0,1 0,3 1,1", "begin_mask:1 end_mask:1"), "[4,2,6]");
  EXPECT_EQ(shapes_of("StridedSlice", "[4,5,6] 0,2 0,3 1,1", "ellipsis_mask:1 shrink_axis_mask:2"), "[4,5]");
  EXPECT_EQ(shapes_of("StridedSlice", "[4] 0,0 0,9 1,1", "new_axis_mask:1"), "[1,4]");
  EXPECT_EQ(shapes_of("StridedSlice", "[4] =0 =4 =0"), "[?]");
}

TEST(TensorFlowShapes, Layers) {
  EXPECT_EQ(shapes_of("Conv2D", "[8,224,224,3] [7,7,3,64]", "strides:{1,2,2,1} padding:'SAME'"), "[8,112,112,64]");
  EXPECT_EQ(shapes_of("Conv2D", "[8,3,10,10] [3,3,3,16]", "strides:{1,1,1,1} padding:'VALID' data_format:'NCHW'"),
            "[8,16,8,8]");
  EXPECT_EQ(shapes_of("Conv2D", "[1,10,10,3] [3,3,3,4]",
                      "strides:{1,1,1,1} padding:'EXPLICIT' explicit_paddings:{0,0,1,1,2,2,0,0}"),
            "[1,10,12,4]");
  EXPECT_EQ(shapes_of("DepthwiseConv2dNative", "[1,8,8,6] [3,3,6,2]", "strides:{1,1,1,1} padding:'SAME'"),
            "[1,8,8,12]");
  EXPECT_EQ(shapes_of("MaxPool", "[1,9,9,6]", "ksize:{1,3,3,1} strides:{1,2,2,1} padding:'VALID'"), "[1,4,4,6]");
  EXPECT_EQ(shapes_of("FusedBatchNormV3", "[1,2,2,3] [3] [3] [3] [3]"), "[1,2,2,3] [3] [3] [3] [3] [0]");
  EXPECT_EQ(shapes_of("LSTMBlockCell", "[8,16] [8,32] [8,32]"), "[8,32] [8,32] [8,32] [8,32] [8,32] [8,32] [8,32]");
  EXPECT_EQ(shapes_of("SparseSoftmaxCrossEntropyWithLogits", "[8,10] [8]"), "[8] [8,10]");
  EXPECT_EQ(shapes_of("BiasAddGrad", "[8,10]"), "[10]");
}

TEST(TensorFlowShapes, ArithmeticOnShapesIsWorkedOut) {
  // reshape(x, [shape(x)[0], 3 * 4]) of a tensor of 5 x 3 x 4
  const std::string graph =
      placeholder("x", "[5,3,4]") + node("shape", "Shape", "x", "T:f32 out_type:i32") + constant("zero", "0") +
      constant("one", "1") + constant("three", "3") + constant("four", "4") +
      node("first", "StridedSlice", "shape zero one one", "T:i32 shrink_axis_mask:1") + constant("axis", "0") +
      node("listed", "ExpandDims", "first axis", "T:i32") + node("twelve", "Mul", "three four", "T:i32") +
      node("sizes", "ConcatV2", "listed twelve axis", "T:i32") + node("y", "Reshape", "x sizes", "T:f32");
  const Model model = read_text(graph);
  EXPECT_EQ(shape_text(model.values[model.outputs.front()]), "[5,12]");
  for (const Value& value : model.values) {
    EXPECT_EQ(value.contents.has_value(), value.name != "x" && !value.name.starts_with("s") && value.name != "first" &&
                                              value.name != "listed" && value.name != "twelve" && value.name != "y")
        << value.name << ": only constants have contents";
  }
}

TEST(TensorFlowShapes, TheFileAndTheRulesCompleteEachOther) {
  std::string relu = node("y", "Relu", "x", "T:f32");
  relu.insert(relu.rfind('}'),
              "attr { key: '_output_shapes' value { list { shape { dim { size: -1 } dim { size: 9 } } } } } ");
  TensorFlowReport report;
  const Model model = read_text(placeholder("x", "[7,?]") + relu, {}, &report);
  EXPECT_EQ(shape_text(model.values[model.outputs.front()]), "[7,9]");
  EXPECT_EQ(report.shapes_from_file, 1U);
}

TEST(TensorFlowShapes, AbsurdSizesAreUnknown) {
  EXPECT_EQ(shapes_of("Relu", "[4611686018427387904]"), "[batch]");
  EXPECT_EQ(shapes_of("Tile", "[1000000000000] =1000000000"), "[?]");
  std::string dims = "1";
  for (int i = 0; i < 40; ++i) dims += ",1";
  EXPECT_EQ(shapes_of("Relu", fmt::format("[{}]", dims)), "[...]") << "rank 41";
}

}  // namespace
}  // namespace berth::tensorflow
