// SPDX-License-Identifier: Apache-2.0
// Shapes by rule: each case is one op whose result is worked out by hand.
#include <gtest/gtest.h>

#include <set>

#include "import/tensorflow/op_kinds.h"
#include "import/tensorflow_sample.h"
#include "model/shapes/tensorflow/rules.h"
#include "ops/op_table.h"

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
  EXPECT_EQ(shapes_of("_FusedMatMul", "[2,3] [3,4] [4]"), "[2,4]");
  EXPECT_EQ(shapes_of("QuantizedMatMul", "[2,3] [3,4]"), "[2,4] [] []");
  EXPECT_EQ(shapes_of("SparseTensorDenseMatMul", "[9,2] [9] 5,6 [6,7]"), "[5,7]");
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
  EXPECT_EQ(shapes_of("Roll", "[2,3] =1 =0"), "[2,3]");
  EXPECT_EQ(shapes_of("MatrixBandPart", "[2,3,3] =0 =-1"), "[2,3,3]");
  EXPECT_EQ(shapes_of("MatrixDiag", "[2,3]"), "[2,3,3]");
  EXPECT_EQ(shapes_of("MatrixDiagV3", "[2,3] =0"), "[2,3,3]");
  EXPECT_EQ(shapes_of("MatrixDiagV3", "[2,3] =1"), "[...]");
  EXPECT_EQ(shapes_of("TensorScatterUpdate", "[9,4] [3,1] [3,4]"), "[9,4]");
  EXPECT_EQ(shapes_of("ScatterNd", "[3,1] [3,4] 9,4"), "[9,4]");
  EXPECT_EQ(shapes_of("MirrorPadGrad", "[4,5] 1,1,0,2"), "[2,3]");
  EXPECT_EQ(shapes_of("RandomGamma", "2,3 [5]"), "[2,3,5]");
  EXPECT_EQ(shapes_of("LinSpace", "[] [] =7"), "[7]");
  EXPECT_EQ(shapes_of("RFFT", "[2,100] =64"), "[2,33]");
  EXPECT_EQ(shapes_of("IRFFT", "[2,33] =64"), "[2,64]");
  EXPECT_EQ(shapes_of("IdentityN", "[2,3] [4]"), "[2,3] [4]");
  EXPECT_EQ(shapes_of("FakeQuantWithMinMaxVars", "[2,3] [] []"), "[2,3]");
  EXPECT_EQ(shapes_of("QuantizeAndDequantizeV2", "[2,3] [] []"), "[2,3]");
  EXPECT_EQ(shapes_of("QuantizeV2", "[2,3] [] []"), "[2,3] [] []");
}

TEST(TensorFlowShapes, Images) {
  EXPECT_EQ(shapes_of("ResizeBilinear", "[2,10,10,3] 20,30"), "[2,20,30,3]");
  EXPECT_EQ(shapes_of("ResizeNearestNeighbor", "[2,10,10,3] [2]"), "[2,?,?,3]");
  EXPECT_EQ(shapes_of("ResizeBilinear", "[10,10,3] 20,30"), "[...]");
  EXPECT_EQ(shapes_of("ResizeBilinearGrad", "[2,20,30,3] [2,10,10,3]"), "[2,10,10,3]");
  EXPECT_EQ(shapes_of("CropAndResize", "[2,10,10,3] [7,4] [7] 5,6"), "[7,5,6,3]");
  EXPECT_EQ(shapes_of("SpaceToBatchND", "[2,9,10,3] 2,3 1,0,1,1"), "[12,5,4,3]");
  EXPECT_EQ(shapes_of("BatchToSpaceND", "[12,5,4,3] 2,3 1,0,1,1"), "[2,9,10,3]");
  EXPECT_EQ(shapes_of("SpaceToBatchND", "[2,9,10,3] 0,3 1,0,1,1"), "[?,?,?,?]") << "blocks of no pixels";
  EXPECT_EQ(shapes_of("SpaceToBatchND", "[2,9,10,3] 2,3,2,2 1,0,1,1"), "[?,?,?,?]");
  EXPECT_EQ(shapes_of("BatchToSpace", "[8,2,2,3] 0,0,0,1", "block_size:2"), "[2,4,3,3]");
  EXPECT_EQ(shapes_of("SpaceToDepth", "[1,4,6,3]", "block_size:2"), "[1,2,3,12]");
  EXPECT_EQ(shapes_of("DepthToSpace", "[1,12,2,3]", "block_size:2 data_format:'NCHW'"), "[1,3,4,6]");
}

TEST(TensorFlowShapes, WhatDependsOnTheDataIsUnknownOrTheMostThereCanBe) {
  EXPECT_EQ(shapes_of("Where", "[2,3]"), "[?,2]");
  EXPECT_EQ(shapes_of("Unique", "[8]"), "[?] [8]");
  EXPECT_EQ(shapes_of("NonMaxSuppressionV3", "[100,4] [100] =20 [] []"), "[20]");
  EXPECT_EQ(shapes_of("NonMaxSuppressionV3", "[8,4] [8] =20 [] []"), "[8]") << "there are no more boxes";
  EXPECT_EQ(shapes_of("NonMaxSuppressionV3", "[100,4] [100] [] [] []"), "[?]");
  EXPECT_EQ(shapes_of("NonMaxSuppressionV5", "[100,4] [100] =20"), "[20] [20] []");
  EXPECT_EQ(shapes_of("CombinedNonMaxSuppression", "[2,50,1,4] [2,50,3] =5 =100", "pad_per_class:true"),
            "[2,15,4] [2,15] [2,15] [2]");
  EXPECT_EQ(shapes_of("SegmentSum", "[9,4] [9]"), "[?,4]");
  EXPECT_EQ(shapes_of("UnsortedSegmentSum", "[9,4] [9] =6"), "[6,4]");
  EXPECT_EQ(shapes_of("DynamicPartition", "[9,4] [9]", "num_partitions:2"), "[?,4] [?,4]");
  EXPECT_EQ(shapes_of("DynamicStitch", "0,2 1,4 [2,7] [2,7]"), "[5,7]");
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
  EXPECT_EQ(shapes_of("_FusedConv2D", "[8,224,224,3] [7,7,3,64] [64]", "strides:{1,2,2,1} padding:'SAME'"),
            "[8,112,112,64]");
  EXPECT_EQ(shapes_of("MaxPoolV2", "[1,9,9,6] 1,3,3,1 1,2,2,1", "padding:'VALID'"), "[1,4,4,6]");
  EXPECT_EQ(shapes_of("MaxPoolWithArgmax", "[1,9,9,6]", "ksize:{1,3,3,1} strides:{1,2,2,1} padding:'VALID'"),
            "[1,4,4,6] [1,4,4,6]");
  EXPECT_EQ(shapes_of("Dilation2D", "[1,9,9,6] [3,3,6]", "strides:{1,1,1,1} rates:{1,2,2,1} padding:'VALID'"),
            "[1,5,5,6]");
  EXPECT_EQ(shapes_of("BlockLSTM", "[] [5,8,16] [8,32] [8,32]"),
            "[5,8,32] [5,8,32] [5,8,32] [5,8,32] [5,8,32] [5,8,32] [5,8,32]");
  EXPECT_EQ(shapes_of("GRUBlockCellGrad", "[8,16] [8,32]"), "[8,16] [8,32] [8,32] [8,64]");
  EXPECT_EQ(shapes_of("CudnnRNN", "[5,8,16] [2,8,32] [2,8,32] [999]", "direction:'bidirectional'"),
            "[5,8,64] [2,8,32] [2,8,32]");
  EXPECT_EQ(shapes_of("CTCLoss", "[5,8,16]"), "[8] [5,8,16]");
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

// y = x + b of shapes 5 x 3 and 3: the gradient for b is summed over the rows, that for x over nothing.
TEST(TensorFlowShapes, GradientsOfBroadcastInputsAreSummedOverTheirAxes) {
  const std::string graph = placeholder("dy", "[5,3]") + constant("x_shape", "5,3") + constant("b_shape", "3") +
                            node("axes", "BroadcastGradientArgs", "x_shape b_shape", "T:i32") +
                            node("dx", "Sum", "dy axes", "T:f32") + node("db", "Sum", "dy axes:1", "T:f32");
  const Model model = read_text(graph);
  ASSERT_EQ(outputs_of(model), "dx db");
  EXPECT_EQ(shape_text(model.values[model.outputs[0]]), "[5,3]");
  EXPECT_EQ(shape_text(model.values[model.outputs[1]]), "[3]");
}

TEST(TensorFlowShapes, EveryTypeOfTheOpTableHasARuleOrAReasonForNone) {
  const std::set<std::string_view> without{
      "Bitcast",           // types of other sizes change the number of dimensions
      "CTCGreedyDecoder",  // sparse tensors of unknown sizes
      "Eye",
      "GlobalNorm",
      "SequenceMask",  // names of TensorFlow's Python functions, no ops of a file
  };
  std::size_t checked = 0;
  for (const OpChapter& chapter : op_table()) {
    if (chapter.dialect != Dialect::kTensorFlow) continue;
    for (const OpRow& row : chapter.rows) {
      for (const std::string_view type : split(row.types, ' ')) {
        const bool needs_rule = has_outputs(type) && !is_leaf(kind_of(type));
        EXPECT_TRUE(has_shape_rule(type) || !needs_rule || without.contains(type)) << type;
        EXPECT_FALSE(has_shape_rule(type) && without.contains(type)) << type << " has one now";
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 400U);
}

TEST(TensorFlowShapes, TheFileAndTheRulesCompleteEachOther) {
  std::string relu = node("y", "Relu", "x", "T:f32");
  relu.insert(relu.rfind('}'),
              "attr { key: '_output_shapes' value { list { shape { dim { size: -1 } dim { size: 9 } } } } } ");
  const std::string text = placeholder("x", "[7,?]") + relu;
  const auto stated = read_tensorflow_graph_text(text, "toy");
  ASSERT_TRUE(stated) << stated.error().message;
  EXPECT_EQ(shape_text(stated->values[stated->outputs.front()]), "[?,9]") << "as the file has it";
  const Model model = read_text(text);
  EXPECT_EQ(shape_text(model.values[model.outputs.front()]), "[7,9]");
}

TEST(TensorFlowShapes, AbsurdSizesAreTooLarge) {
  const std::string too_large = fmt::format("[{}]", kTooLarge);
  EXPECT_EQ(shapes_of("Relu", "[4611686018427387904]"), too_large);
  EXPECT_EQ(shapes_of("Tile", "[1000000000000] =1000000000"), too_large);
  std::string dims = "1";
  for (int i = 0; i < 40; ++i) dims += ",1";
  EXPECT_EQ(shapes_of("Relu", fmt::format("[{}]", dims)), "[...]") << "rank 41";
}

}  // namespace
}  // namespace berth::tensorflow
