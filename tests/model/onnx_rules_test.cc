// SPDX-License-Identifier: Apache-2.0
// Shapes of ONNX operators, worked by hand from the operators' definitions.
#include "model/shapes/onnx/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "model/onnx_case.h"
#include "ops/op_table.h"

namespace berth {
namespace {

TEST(OnnxElementwise, IsLikeItsInputOrBroadcast) {
  EXPECT_EQ(infer("Relu", {"f16[2,?,4]"}), "f16[2,?,4]");
  EXPECT_EQ(infer("com.microsoft.BiasGelu", {"f32[2,8]", "f32[8]"}), "f32[2,8]");
  EXPECT_EQ(infer("com.microsoft.RotaryEmbedding", {"f16[1,8,32,64]", "i64[1,32]", "f16[99,32]", "f16[99,32]"}),
            "f16[1,8,32,64]");
  EXPECT_EQ(infer("Add", {"f32[4,1,5]", "f32[3,1]"}), "f32[4,3,5]");
  EXPECT_EQ(infer("Max", {"f32[2]", "f32[1]", "f32[]"}), "f32[2]");
  EXPECT_EQ(infer("Less", {"i64[5,1]", "i64[6]"}), "bool[5,6]");
  EXPECT_EQ(infer("Where", {"bool[2,1]", "f16[3]", "f16[]"}), "f16[2,3]");
  EXPECT_EQ(infer("Clip", {"f32[7]", "", "f32[]"}), "f32[7]");
  EXPECT_EQ(infer("Dropout", {"f32[7]"}, {}, 2), "f32[7]; bool[7]");
  EXPECT_EQ(infer("Tan", {"f32"}), "f32") << "of unknown rank";
  EXPECT_EQ(infer("NoSuchType", {"f32[7]"}), "?");
}

TEST(OnnxElementwise, CastsAndQuantises) {
  EXPECT_EQ(infer("Cast", {"f32[2]"}, {integer("to", 16)}), "bf16[2]");
  EXPECT_EQ(infer("Cast", {"f32[2]"}, {integer("to", 12)}), "i32[2]") << "unsigned";
  EXPECT_EQ(infer("CastLike", {"f32[2]", "i8[9]"}), "i8[2]");
  EXPECT_EQ(infer("QuantizeLinear", {"f32[2]", "f32[]", "i8[]"}), "i8[2]");
  EXPECT_EQ(infer("QuantizeLinear", {"f32[2]", "f32[]"}), "u8[2]");
  EXPECT_EQ(infer("QuantizeLinear", {"f32[2]", "f32[]"}, {integer("output_dtype", 3)}), "i8[2]");
  EXPECT_EQ(infer("DequantizeLinear", {"i8[2]", "f16[]"}), "f16[2]");
  EXPECT_EQ(infer("DynamicQuantizeLinear", {"f32[2,3]"}, {}, 3), "u8[2,3]; f32[]; u8[]");
  EXPECT_EQ(infer("com.microsoft.QLinearAdd", {"u8[2,1]", "f32[]", "u8[]", "u8[3]", "f32[]", "u8[]"}), "u8[2,3]");
  EXPECT_EQ(infer("com.microsoft.BiasSplitGelu", {"f16[2,64,640]", "f16[640]"}), "f16[2,64,320]");
}

TEST(OnnxElementwise, RandomNumbersHaveTheShapeThatIsAskedFor) {
  EXPECT_EQ(infer("RandomNormal", {}, {list("shape", {2, 3}), integer("dtype", 10)}), "f16[2,3]");
  EXPECT_EQ(infer("RandomUniformLike", {"f16[4]"}), "f16[4]");
  EXPECT_EQ(infer("EyeLike", {"i32[4,5]"}, {integer("dtype", 1)}), "f32[4,5]");
}

TEST(OnnxProducts, MultiplyMatrices) {
  EXPECT_EQ(infer("MatMul", {"f32[2,3,4]", "f32[4,5]"}), "f32[2,3,5]");
  EXPECT_EQ(infer("MatMul", {"f32[6,1,3,4]", "f32[7,4,5]"}), "f32[6,7,3,5]");
  EXPECT_EQ(infer("MatMul", {"f32[4]", "f32[2,4,5]"}), "f32[2,5]");
  EXPECT_EQ(infer("MatMul", {"f32[3,4]", "f32[4]"}), "f32[3]");
  EXPECT_EQ(infer("Gemm", {"f32[4,3]", "f32[5,4]"}, {integer("transA", 1), integer("transB", 1)}), "f32[3,5]");
  EXPECT_EQ(infer("com.microsoft.FusedMatMul", {"f32[8,3,4]", "f32[8,5,4]"}, {integer("transB", 1)}), "f32[8,3,5]");
  // Rows before the batch: [3, 8, 2, 4] is read as [8, 2, 3, 4].
  EXPECT_EQ(infer("com.microsoft.FusedMatMul", {"f32[3,8,2,4]", "f32[8,2,4,5]"}, {integer("transBatchA", 1)}),
            "f32[8,2,3,5]");
  EXPECT_EQ(infer("com.microsoft.MatMulNBits", {"f16[1,128,4096]", "u8[11008,128,16]", "f16[1409024]"},
                  {integer("K", 4096), integer("N", 11008), integer("bits", 4)}),
            "f16[1,128,11008]");
}

TEST(OnnxProducts, MultiplyQuantisedMatrices) {
  EXPECT_EQ(infer("MatMulInteger", {"u8[2,3]", "i8[3,4]"}), "i32[2,4]");
  EXPECT_EQ(infer("QLinearMatMul", {"u8[2,3]", "f32[]", "u8[]", "i8[3,4]", "f32[]", "i8[]", "f32[]", "i8[]"}),
            "i8[2,4]");
  EXPECT_EQ(
      infer("com.microsoft.QGemm", {"u8[2,3]", "f32[]", "u8[]", "i8[4,3]", "f32[]", "i8[]"}, {integer("transB", 1)}),
      "f32[2,4]");
  EXPECT_EQ(infer("com.microsoft.MatMulIntegerToFloat", {"u8[2,3]", "i8[3,4]", "f32[]", "f32[]"}), "f32[2,4]");
  EXPECT_EQ(infer("com.microsoft.DynamicQuantizeMatMul", {"f32[2,3]", "i8[3,4]", "f32[]"}), "f32[2,4]");
}

TEST(OnnxProducts, EinsumFollowsItsEquation) {
  EXPECT_EQ(infer("Einsum", {"f32[2,3,4]", "f32[2,4,5]"}, {words("equation", "bij, bjk -> bik")}), "f32[2,3,5]");
  EXPECT_EQ(infer("Einsum", {"f32[3,4]", "f32[4,5]"}, {words("equation", "zy,yx")}), "f32[5,3]") << "x before z";
  EXPECT_EQ(infer("Einsum", {"f32[3,3]"}, {words("equation", "ii->i")}), "f32[3]");
  EXPECT_EQ(infer("Einsum", {"f32[3,3]"}, {words("equation", "...i->...")}), "f32");
  EXPECT_EQ(infer("Einsum", {"f32[3]"}, {words("equation", "i,j->ij")}), "f32") << "an input is missing";
}

TEST(OnnxLayout, Reshapes) {
  EXPECT_EQ(infer("Transpose", {"f32[2,3,4]"}), "f32[4,3,2]");
  EXPECT_EQ(infer("Transpose", {"f32[2,3,4]"}, {list("perm", {0, 2, 1})}), "f32[2,4,3]");
  EXPECT_EQ(infer("Transpose", {"f32[2,3,4]"}, {list("perm", {0, 2, 9})}), "f32");
  EXPECT_EQ(infer("Reshape", {"f32[2,3,4]", "i64[2]={0,-1}"}), "f32[2,12]");
  EXPECT_EQ(infer("Reshape", {"f32[2,3,4]"}, {list("shape", {4, -1})}), "f32[4,6]") << "opset 4";
  EXPECT_EQ(infer("Reshape", {"f32[?,16,64]", "i64[2]={0,-1}"}), "f32[?,1024]") << "the unknown size cancels out";
  EXPECT_EQ(infer("Reshape", {"f32[2,3]", "i64[2]={4,-1}"}), "f32[4,?]") << "does not come out even";
  EXPECT_EQ(infer("Reshape", {"f32[0,3]", "i64[2]={0,3}"}, {integer("allowzero", 1)}), "f32[0,3]");
  EXPECT_EQ(infer("Reshape", {"f32[2,3]", "i64[3]"}), "f32[?,?,?]");
  EXPECT_EQ(infer("Flatten", {"f32[2,3,4,5]"}, {integer("axis", 2)}), "f32[6,20]");
  EXPECT_EQ(infer("Flatten", {"f32[2,3,4]"}, {integer("axis", 0)}), "f32[1,24]");
  EXPECT_EQ(infer("Squeeze", {"f32[1,3,1]"}), "f32[3]");
  EXPECT_EQ(infer("Squeeze", {"f32[1,3,1]", "i64[1]={-1}"}), "f32[1,3]");
  EXPECT_EQ(infer("Unsqueeze", {"f32[3,4]", "i64[2]={0,-1}"}), "f32[1,3,4,1]");
  EXPECT_EQ(infer("Unsqueeze", {"f32[3,4]"}, {list("axes", {1})}), "f32[3,1,4]") << "opset 11";
  EXPECT_EQ(infer("DepthToSpace", {"f32[1,12,4,5]"}, {integer("blocksize", 2)}), "f32[1,3,8,10]");
  EXPECT_EQ(infer("SpaceToDepth", {"f32[1,3,8,10]"}, {integer("blocksize", 2)}), "f32[1,12,4,5]");
}

TEST(OnnxLayout, JoinsSplitsAndRepeats) {
  EXPECT_EQ(infer("Concat", {"f32[2,3]", "f32[2,4]"}, {integer("axis", 1)}), "f32[2,7]");
  EXPECT_EQ(infer("Concat", {"f32[?,3]", "f32[2,?]"}, {integer("axis", 1)}), "f32[2,?]");
  EXPECT_EQ(infer("com.microsoft.ConcatTraining", {"f32[2,3]", "f32[2,4]"}, {integer("axis", 1)}, 2),
            "f32[2,7]; i64[2]");
  EXPECT_EQ(infer("Split", {"f32[7,4]"}, {integer("axis", 0)}, 3), "f32[3,4]; f32[3,4]; f32[1,4]");
  EXPECT_EQ(infer("Split", {"f32[7,4]", "i64[2]={5,2}"}, {}, 2), "f32[5,4]; f32[2,4]");
  EXPECT_EQ(infer("Split", {"f32[7,4]", "i64[2]"}, {}, 2), "f32[?,4]; f32[?,4]");
  EXPECT_EQ(infer("Expand", {"f32[3,1]", "i64[3]={2,1,4}"}), "f32[2,3,4]");
  EXPECT_EQ(infer("Tile", {"f32[2,3]", "i64[2]={2,1}"}), "f32[4,3]");
}

TEST(OnnxIndexing, Slices) {
  EXPECT_EQ(infer("Slice", {"f32[10,5]", "i64[1]={2}", "i64[1]={-1}", "i64[1]={0}", "i64[1]={3}"}), "f32[3,5]");
  EXPECT_EQ(infer("Slice", {"f32[10]", "i64[1]={-1}", "i64[1]={-9999}", "i64[1]={0}", "i64[1]={-2}"}), "f32[5]");
  EXPECT_EQ(infer("Slice", {"f32[10,5]"}, {list("starts", {1, 1}), list("ends", {3, 100})}), "f32[2,4]") << "opset 9";
  EXPECT_EQ(infer("Slice", {"f32[?,5]", "i64[1]={0}", "i64[1]={9223372036854775807}", "i64[1]={0}"}), "f32[?,5]");
  EXPECT_EQ(infer("Slice", {"f32[4,5]", "i64[1]", "i64[1]", "i64[1]={1}"}), "f32[4,?]") << "other axes are kept";
  EXPECT_EQ(infer("Slice", {"f32[4,5]", "i64[1]={3}", "i64[1]={1}", "i64[1]={1}"}), "f32[4,0]");
}

TEST(OnnxIndexing, Gathers) {
  EXPECT_EQ(infer("Gather", {"f32[100,8]", "i64[2,3]"}), "f32[2,3,8]");
  EXPECT_EQ(infer("Gather", {"f32[4,100,8]", "i64[]"}, {integer("axis", 1)}), "f32[4,8]");
  EXPECT_EQ(infer("GatherElements", {"f32[4,5]", "i64[2,5]"}), "f32[2,5]");
  EXPECT_EQ(infer("GatherND", {"f32[4,5,6]", "i64[7,2]"}), "f32[7,6]");
  EXPECT_EQ(infer("GatherND", {"f32[4,5,6]", "i64[4,7,1]"}, {integer("batch_dims", 1)}), "f32[4,7,6]");
  EXPECT_EQ(infer("aten.embedding", {"f16[100,8]", "i64[2,3]", "i64[]", "bool[]", "bool[]"}), "f16[2,3,8]");
  EXPECT_EQ(infer("aten.embedding_backward", {"f16[2,3,8]", "i64[2,3]", "i64[]={100}"}), "f16[100,8]");
  EXPECT_EQ(infer("com.microsoft.GatherGrad", {"i64[2]={100,8}", "i64[2,3]", "f16[2,3,8]"}), "f16[100,8]");
  EXPECT_EQ(infer("com.microsoft.SliceGrad", {"f16[2,3]", "i64[2]={9,3}", "i64[1]", "i64[1]"}), "f16[9,3]");
}

TEST(OnnxIndexing, CountsDecideSizes) {
  EXPECT_EQ(infer("Size", {"f32[2,3]"}), "i64[]={6}");
  EXPECT_EQ(infer("ConstantOfShape", {"i64[2]={3,4}"}, {words("dtype", "f16")}), "f16[3,4]");
  EXPECT_EQ(infer("ConstantOfShape", {"i64[2]={3,4}"}), "f32[3,4]");
  EXPECT_EQ(infer("Range", {"i64[]={10}", "i64[]={0}", "i64[]={-3}"}), "i64[4]");
  EXPECT_EQ(infer("Range", {"i64[]={0}", "i64[]={200}", "i64[]={1}"}), "i64[200]");
  EXPECT_EQ(infer("Range", {"f32[]", "f32[]", "f32[]"}), "f32[?]");
  EXPECT_EQ(infer("TopK", {"f32[4,9]", "i64[1]={5}"}, {}, 2), "f32[4,5]; i64[4,5]");
  EXPECT_EQ(infer("OneHot", {"i64[4,9]", "i64[]={7}", "f32[2]"}, {integer("axis", 1)}), "f32[4,7,9]");
  EXPECT_EQ(infer("NonZero", {"f32[4,9]"}), "i64[2,?]");
  EXPECT_EQ(infer("NonMaxSuppression", {"f32[1,9,4]", "f32[1,2,9]"}), "i64[?,3]");
  EXPECT_EQ(infer("com.microsoft.BroadcastGradientArgs", {"i64[2]", "i64[2]"}, {}, 2), "i64[?]; i64[?]");
}

TEST(OnnxNorms, ReduceAxes) {
  EXPECT_EQ(infer("ReduceSum", {"f32[2,3,4]", "i64[1]={1}"}), "f32[2,1,4]");
  EXPECT_EQ(infer("ReduceMean", {"f32[2,3,4]"}, {list("axes", {-1}), integer("keepdims", 0)}), "f32[2,3]");
  EXPECT_EQ(infer("ReduceMax", {"f32[2,3]"}, {integer("keepdims", 0)}), "f32[]");
  EXPECT_EQ(infer("ReduceSum", {"f32[2,3]", "i64[0]={}"}, {integer("noop_with_empty_axes", 1)}), "f32[2,3]");
  EXPECT_EQ(infer("ReduceSum", {"f32[2,3]", "i64[?]"}), "f32[?,?]");
  EXPECT_EQ(infer("ArgMax", {"f32[2,3]"}, {integer("axis", 1), integer("keepdims", 0)}), "i64[2]");
}

TEST(OnnxNorms, NormaliseAndHandOutStatistics) {
  EXPECT_EQ(infer("LayerNormalization", {"f16[2,3,8]", "f16[8]"}, {}, 3), "f16[2,3,8]; f32[2,3,1]; f32[2,3,1]");
  EXPECT_EQ(infer("SimplifiedLayerNormalization", {"f16[2,3,8]", "f16[8]"}, {}, 2), "f16[2,3,8]; f32[2,3,1]");
  EXPECT_EQ(infer("com.microsoft.SkipLayerNormalization", {"f16[2,3,8]", "f16[2,3,8]", "f16[8]", "f16[8]"}, {}, 4),
            "f16[2,3,8]; f32[2,3,1]; f32[2,3,1]; f16[2,3,8]");
  EXPECT_EQ(infer("com.microsoft.SkipSimplifiedLayerNormalization", {"f16[2,3,8]", "f16[2,3,8]", "f16[8]"}),
            "f16[2,3,8]");
  EXPECT_EQ(infer("com.microsoft.EmbedLayerNormalization",
                  {"i32[2,5]", "i32[2,5]", "f16[100,8]", "f16[64,8]", "f16[2,8]", "f16[8]", "f16[8]"}, {}, 3),
            "f16[2,5,8]; i32[2]; f16[2,5,8]");
  EXPECT_EQ(
      infer("com.microsoft.LayerNormalizationGrad", {"f16[2,8]", "f16[2,8]", "f16[8]", "f32[2,1]", "f32[2,1]"}, {}, 3),
      "f16[2,8]; f16[8]; f16[8]");
  EXPECT_EQ(infer("BatchNormalization", {"f32[2,3,4,4]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, {}, 3),
            "f32[2,3,4,4]; f32[3]; f32[3]");
  EXPECT_EQ(infer("SoftmaxCrossEntropyLoss", {"f32[6,10]", "i64[6]"}, {}, 2), "f32[]; f32[6,10]");
  EXPECT_EQ(infer("NegativeLogLikelihoodLoss", {"f32[6,10]", "i64[6]"}, {words("reduction", "none")}), "f32[6]");
  EXPECT_EQ(infer("com.microsoft.SoftmaxCrossEntropyLossInternalGrad", {"f16[]", "f32[6,10]", "i64[6]"}), "f32[6,10]");
  EXPECT_EQ(infer("com.microsoft.YieldOp", {"f16[]", "f16[3]"}, {}, 2), "f16[]; f16[3]");
}

TEST(OnnxAttention, OnnxsOwn) {
  EXPECT_EQ(infer("Attention", {"f16[2,8,16,64]", "f16[2,4,20,64]", "f16[2,4,20,32]"}, {}, 3),
            "f16[2,8,16,32]; f16[2,4,20,64]; f16[2,4,20,32]");
  EXPECT_EQ(
      infer("Attention", {"f16[2,16,512]", "f16[2,20,256]", "f16[2,20,128]", "", "f16[2,4,5,64]", "f16[2,4,5,32]"},
            {integer("q_num_heads", 8), integer("kv_num_heads", 4)}, 3),
      "f16[2,16,256]; f16[2,4,25,64]; f16[2,4,25,32]");
}

TEST(OnnxAttention, OfOnnxruntime) {
  EXPECT_EQ(
      infer("com.microsoft.Attention", {"f16[2,16,768]", "f16[768,2304]", "f16[2304]"}, {integer("num_heads", 12)}, 2),
      "f16[2,16,768]; f16[2,2,12,16,64]");
  EXPECT_EQ(infer("com.microsoft.Attention", {"f16[2,16,768]", "f16[768,1280]", "f16[1280]", "", "f16[2,2,8,4,32]"},
                  {integer("num_heads", 8), list("qkv_hidden_sizes", {512, 512, 256})}, 2),
            "f16[2,16,256]; f16[2,2,8,20,32]");
  EXPECT_EQ(infer("com.microsoft.MultiHeadAttention", {"f16[2,16,512]", "f16[2,20,512]", "f16[2,20,256]"},
                  {integer("num_heads", 8)}, 3),
            "f16[2,16,256]; f16[2,8,20,64]; f16[2,8,20,32]");
  EXPECT_EQ(infer("com.microsoft.MultiHeadAttention", {"f16[2,16,8,3,64]"}, {integer("num_heads", 8)}),
            "f16[2,16,512]");
  EXPECT_EQ(infer("com.microsoft.MultiHeadAttention",
                  {"f16[2,1,512]", "f16[2,1,512]", "f16[2,1,512]", "", "", "", "f16[2,8,7,64]", "f16[2,8,7,64]"},
                  {integer("num_heads", 8)}, 3),
            "f16[2,1,512]; f16[2,8,8,64]; f16[2,8,8,64]");
  EXPECT_EQ(infer("com.microsoft.GroupQueryAttention",
                  {"f16[1,4,1024]", "f16[1,4,256]", "f16[1,4,256]", "f16[1,4,96,64]", "f16[1,4,96,64]"},
                  {integer("num_heads", 16), integer("kv_num_heads", 4)}, 3),
            "f16[1,4,1024]; f16[1,4,100,64]; f16[1,4,100,64]");
  // Packed: 16 heads of queries, 4 of keys and 4 of values, 64 wide each.
  EXPECT_EQ(infer("com.microsoft.GroupQueryAttention", {"f16[1,4,1536]", "", ""},
                  {integer("num_heads", 16), integer("kv_num_heads", 4)}),
            "f16[1,4,1024]");
}

TEST(OnnxWindows, SlideOverPlanes) {
  EXPECT_EQ(infer("Conv", {"f32[2,3,224,224]", "f32[64,3,7,7]"}, {list("pads", {3, 3, 3, 3}), list("strides", {2, 2})}),
            "f32[2,64,112,112]");
  EXPECT_EQ(infer("Conv", {"f32[1,4,10]", "f32[8,4,3]"}, {list("dilations", {2})}), "f32[1,8,6]");
  EXPECT_EQ(infer("Conv", {"f32[1,4,10]", "f32[8,4,3]"}, {words("auto_pad", "SAME_UPPER"), list("strides", {3})}),
            "f32[1,8,4]");
  EXPECT_EQ(infer("ConvInteger", {"u8[1,4,10]", "u8[8,4,3]"}), "i32[1,8,8]");
  EXPECT_EQ(infer("QLinearConv", {"u8[1,4,10]", "f32[]", "u8[]", "i8[8,4,3]", "f32[]", "i8[]", "f32[]", "u8[]"}),
            "u8[1,8,8]");
  EXPECT_EQ(infer("ConvTranspose", {"f32[1,8,5,5]", "f32[8,4,3,3]"},
                  {list("strides", {2, 2}), list("pads", {1, 1, 1, 1}), list("output_padding", {1, 1})}),
            "f32[1,4,10,10]");
  EXPECT_EQ(infer("MaxPool", {"f32[1,8,7,7]"}, {list("kernel_shape", {2, 2}), list("strides", {2, 2})}),
            "f32[1,8,3,3]");
  EXPECT_EQ(
      infer("AveragePool", {"f32[1,8,7]"}, {list("kernel_shape", {2}), list("strides", {2}), integer("ceil_mode", 1)}),
      "f32[1,8,4]");
  EXPECT_EQ(infer("GlobalAveragePool", {"f32[1,8,7,7]"}), "f32[1,8,1,1]");
}

TEST(OnnxWindows, PadResizeAndSample) {
  EXPECT_EQ(infer("Pad", {"f32[2,3]", "i64[4]={1,0,1,2}"}), "f32[4,5]");
  EXPECT_EQ(infer("Pad", {"f32[2,3]", "i64[2]={1,2}", "", "i64[1]={-1}"}), "f32[2,6]") << "opset 18: only these axes";
  EXPECT_EQ(infer("Resize", {"f32[1,3,4,5]", "", "", "i64[4]={1,3,8,9}"}), "f32[1,3,8,9]");
  EXPECT_EQ(infer("Resize", {"f32[1,3,4,5]", "", "f32[4]={1,1,2,3}"}), "f32[1,3,8,15]");
  EXPECT_EQ(infer("Upsample", {"f32[1,3,4,5]"}, {{"scales", Attribute(std::vector<double>{1.0, 1.0, 1.5, 1.5})}}),
            "f32[1,3,6,7]");
  EXPECT_EQ(infer("Resize", {"f32[1,3,4,5]", "", "f32[4]"}), "f32[?,?,?,?]");
  EXPECT_EQ(infer("GridSample", {"f32[2,3,4,5]", "f32[2,6,7,2]"}), "f32[2,3,6,7]");
  EXPECT_EQ(infer("RoiAlign", {"f32[2,3,40,50]", "f32[9,4]", "i64[9]"},
                  {integer("output_height", 7), integer("output_width", 8)}),
            "f32[9,3,7,8]");
}

TEST(OnnxWindows, WalkAlongASequence) {
  EXPECT_EQ(infer("LSTM", {"f32[12,2,8]", "f32[2,64,8]", "f32[2,64,16]"}, {integer("hidden_size", 16)}, 3),
            "f32[12,2,2,16]; f32[2,2,16]; f32[2,2,16]");
  EXPECT_EQ(infer("GRU", {"f32[2,12,8]", "f32[1,48,8]", "f32[1,48,16]"},
                  {integer("hidden_size", 16), integer("layout", 1)}, 2),
            "f32[2,12,1,16]; f32[2,1,16]");
}

TEST(OnnxWindows, ChannelsMayStandLast) {
  EXPECT_EQ(infer("com.microsoft.NhwcConv", {"f16[2,9,11,4]", "f16[8,4,3,3]"}, {list("strides", {2, 2})}),
            "f16[2,4,5,8]");
  EXPECT_EQ(infer("com.microsoft.NhwcMaxPool", {"u8[1,7,9,8]"}, {list("kernel_shape", {2, 3})}), "u8[1,6,7,8]");
  EXPECT_EQ(infer("com.microsoft.QLinearAveragePool", {"u8[1,8,7,9]", "f32[]", "u8[]", "f32[]", "u8[]"},
                  {list("kernel_shape", {2, 2})}),
            "u8[1,8,6,8]");
  EXPECT_EQ(infer("com.microsoft.QLinearAveragePool", {"u8[1,7,9,8]", "f32[]", "u8[]", "f32[]", "u8[]"},
                  {list("kernel_shape", {2, 2}), integer("channels_last", 1)}),
            "u8[1,6,8,8]");
  EXPECT_EQ(infer("com.microsoft.QLinearGlobalAveragePool", {"u8[1,7,9,8]", "f32[]", "u8[]", "f32[]", "u8[]"},
                  {integer("channels_last", 1)}),
            "u8[1,1,1,8]");
  EXPECT_EQ(infer("com.microsoft.QLinearConv",
                  {"u8[1,9,9,4]", "f32[]", "u8[]", "i8[8,4,3,3]", "f32[]", "i8[]", "f32[]", "u8[]"},
                  {integer("channels_last", 1)}),
            "u8[1,7,7,8]");
}

TEST(OnnxWindows, BlocksOfChannelsKeepTheOrderOfAxes) {
  EXPECT_EQ(infer("com.microsoft.nchwc.ReorderInput", {"f32[1,9,9,16]"}, {integer("channels_last", 1)}),
            "f32[1,16,9,9]");
  EXPECT_EQ(infer("com.microsoft.nchwc.Conv", {"f32[1,16,9,9]", "f32[32,16,3,3]"}), "f32[1,32,7,7]");
  EXPECT_EQ(infer("com.microsoft.nchwc.MaxPool", {"f32[1,32,7,7]"}, {list("kernel_shape", {2, 2})}), "f32[1,32,6,6]");
  EXPECT_EQ(infer("com.microsoft.nchwc.GlobalAveragePool", {"f32[1,32,7,7]"}), "f32[1,32,1,1]");
  EXPECT_EQ(infer("com.microsoft.nchwc.Upsample", {"f32[1,32,7,7]"}, {list("scales", {1, 1, 2, 2})}),
            "f32[1,32,14,14]");
  EXPECT_EQ(infer("com.microsoft.nchwc.ReorderOutput", {"f32[1,32,7,7]"}, {integer("channels", 30)}), "f32[1,30,7,7]");
}

TEST(OnnxWindows, UndoPoolsAndConvolutions) {
  EXPECT_EQ(
      infer("MaxUnpool", {"f32[1,8,3,3]", "i64[1,8,3,3]"}, {list("kernel_shape", {2, 2}), list("strides", {2, 2})}),
      "f32[1,8,6,6]");
  EXPECT_EQ(infer("MaxUnpool", {"f32[1,8,3,3]", "i64[1,8,3,3]", "i64[4]={1,8,7,7}"}, {list("kernel_shape", {2, 2})}),
            "f32[1,8,7,7]");
  EXPECT_EQ(infer("com.microsoft.ConvGrad", {"f32[2,8,7,7]", "f32[2,4,9,9]", "f32[8,4,3,3]"}, {}, 3),
            "f32[2,4,9,9]; f32[8,4,3,3]; f32[8]");
  EXPECT_EQ(infer("com.microsoft.QLinearConvTranspose", {"u8[1,8,4,4]", "f32[]", "u8[]", "i8[8,6,2,2]"},
                  {list("strides", {2, 2})}),
            "u8[1,6,8,8]");
}

TEST(OnnxWindows, WalkWithQuantisedWeights) {
  EXPECT_EQ(infer("com.microsoft.DynamicQuantizeLSTM", {"f32[12,2,8]", "i8[1,8,64]", "i8[1,16,64]"}, {}, 3),
            "f32[12,1,2,16]; f32[1,2,16]; f32[1,2,16]");
}

TEST(OnnxImages, AreCutAndPutTogether) {
  EXPECT_EQ(infer("CenterCropPad", {"f32[20,8,3]", "i64[2]={10,9}"}, {list("axes", {0, 1})}), "f32[10,9,3]");
  EXPECT_EQ(infer("CenterCropPad", {"f32[20,8]", "i64[2]"}), "f32[?,?]");
  EXPECT_EQ(infer("Col2Im", {"f32[2,12,20]", "i64[2]={5,7}", "i64[2]={2,3}"}), "f32[2,2,5,7]");
  EXPECT_EQ(infer("MaxRoiPool", {"f32[1,8,30,40]", "f32[6,5]"}, {list("pooled_shape", {7, 7})}), "f32[6,8,7,7]");
  EXPECT_EQ(infer("AffineGrid", {"f32[2,2,3]", "i64[4]={2,3,5,6}"}), "f32[2,5,6,2]");
}

TEST(OnnxSignals, HaveFrequencies) {
  EXPECT_EQ(infer("DFT", {"f32[2,10,1]"}), "f32[2,10,2]");
  EXPECT_EQ(infer("DFT", {"f32[2,10,1]"}, {integer("onesided", 1), integer("axis", 1)}), "f32[2,6,2]");
  EXPECT_EQ(infer("DFT", {"f32[2,10,7,2]", "i64[]={16}", "i64[]={1}"}), "f32[2,16,7,2]");
  EXPECT_EQ(infer("DFT", {"f32[2,6,2]"}, {integer("onesided", 1), integer("inverse", 1)}), "f32[2,10,1]");
  EXPECT_EQ(infer("STFT", {"f32[1,128,1]", "i64[]={8}", "f32[16]"}), "f32[1,15,9,2]");
  EXPECT_EQ(infer("STFT", {"f32[1,128,1]", "i64[]={8}", "", "i64[]={16}"}, {integer("onesided", 0)}), "f32[1,15,16,2]");
  EXPECT_EQ(infer("HannWindow", {"i64[]={10}"}), "f32[10]");
  EXPECT_EQ(infer("MelWeightMatrix", {"i64[]={8}", "i64[]={16}", "i64[]", "f32[]", "f32[]"}), "f32[9,8]");
}

TEST(OnnxSequences, AreTheirElementsStacked) {
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]"}), "f32[6,1,4]");
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]"}, {integer("keepdims", 0)}), "f32[6,4]");
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]", "i64[]={2}"}, {integer("axis", -1)}), "f32[2,6,2]");
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]", "i64[]={4}"}), "f32[2,?,4]") << "4 and 2";
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]", "i64[3]={2,2,2}"}), "f32[3,2,4]");
  EXPECT_EQ(infer("SplitToSequence", {"f32[6,4]", "i64[2]={2,4}"}), "f32[2,?,4]");
  EXPECT_EQ(infer("SequenceConstruct", {"f32[3,4]", "f32[3,5]"}), "f32[2,3,?]");
  EXPECT_EQ(infer("SequenceInsert", {"f32[2,3,4]", "f32[3,4]"}), "f32[3,3,4]");
  EXPECT_EQ(infer("SequenceErase", {"f32[2,3,4]"}), "f32[1,3,4]");
  EXPECT_EQ(infer("SequenceAt", {"f32[2,3,4]", "i64[]"}), "f32[3,4]");
  EXPECT_EQ(infer("SequenceAt", {"f32", "i64[]"}), "f32");
  EXPECT_EQ(infer("ConcatFromSequence", {"f32[2,3,4]"}, {integer("axis", 1)}), "f32[3,8]");
  EXPECT_EQ(infer("ConcatFromSequence", {"f32[2,3,4]"}, {integer("axis", 1), integer("new_axis", 1)}), "f32[3,2,4]");
  EXPECT_EQ(infer("SequenceLength", {"f32[2,3,4]"}), "i64[]");
  EXPECT_EQ(infer("OptionalGetElement", {"f16[3,4]"}), "f16[3,4]");
}

TEST(OnnxAttention, WithoutPaddingOrWithSparseBlocks) {
  EXPECT_EQ(infer("com.microsoft.PackedAttention", {"f16[77,64]", "f16[64,192]"}, {integer("num_heads", 4)}),
            "f16[77,64]");
  EXPECT_EQ(infer("com.microsoft.SparseAttention",
                  {"f16[1,5,64]", "f16[1,5,32]", "f16[1,5,32]", "f16[1,2,128,16]", "f16[1,2,128,16]"},
                  {integer("num_heads", 4), integer("kv_num_heads", 2)}, 3),
            "f16[1,5,64]; f16[1,2,128,16]; f16[1,2,128,16]");
}

TEST(OnnxIndexing, WhatDependsOnDataAloneIsOpen) {
  EXPECT_EQ(infer("Compress", {"f32[4,9]", "bool[4]"}), "f32[?]");
  EXPECT_EQ(infer("Compress", {"f32[4,9]", "bool[9]"}, {integer("axis", -1)}), "f32[4,?]");
  EXPECT_EQ(infer("Unique", {"f32[4,9]"}, {}, 4), "f32[?]; i64[?]; i64[36]; i64[?]");
  EXPECT_EQ(infer("Unique", {"f32[4,9]"}, {integer("axis", 1)}, 4), "f32[4,?]; i64[?]; i64[9]; i64[?]");
}

TEST(OnnxIndexing, OpenSizesAreNamedAfterTheirNode) {
  for (const std::int64_t size : {1, 7}) {
    Model model;
    const ValueIndex x = model.add({.name = "x", .dtype = DType::kF32, .shape = shape_of({4, 9})});
    const ValueIndex places = model.add({.name = "places"}), turned = model.add({.name = "turned"});
    model.nodes = {{.name = "found", .type = "NonZero", .inputs = {x}, .outputs = {places}},
                   {.name = "turn", .type = "Transpose", .inputs = {places}, .outputs = {turned}}};
    infer_onnx_shapes(model, size == 1 ? DimSizes() : DimSizes{{"found.1", size}});
    EXPECT_EQ(text_of(model.values[turned]), fmt::format("i64[{},2]", size));
    ASSERT_EQ(model.open_sizes.size(), 1U);
    EXPECT_EQ(model.open_sizes[0].name, "found.1");
    EXPECT_EQ(model.open_sizes[0].size, size);
    EXPECT_EQ(model.open_sizes[0].where, "places[1]");
  }
}

TEST(OnnxRules, MoreOfOnnxruntime) {
  EXPECT_EQ(infer("com.microsoft.QLinearConcat",
                  {"f32[]", "u8[]", "u8[2,3]", "f32[]", "u8[]", "u8[2,5]", "f32[]", "u8[]"}, {integer("axis", 1)}),
            "u8[2,8]");
  EXPECT_EQ(infer("com.microsoft.QLinearWhere", {"bool[2,1]", "u8[3]", "f32[]", "u8[]", "u8[]", "f32[]", "u8[]"}),
            "u8[2,3]");
  EXPECT_EQ(infer("com.microsoft.GatherBlockQuantized", {"u8[99,32]", "i64[2,5]", "f16[99,2]"}), "f16[2,5,64]");
  EXPECT_EQ(infer("com.microsoft.BitmaskDropout", {"f16[3,33]"}, {}, 2), "f16[3,33]; i32[4]");
  EXPECT_EQ(infer("com.microsoft.GridSample", {"f32[2,3,4,5]", "f32[2,6,7,2]"}), "f32[2,3,6,7]") << "as ONNX's";
  EXPECT_EQ(infer("CumProd", {"f32[2,3]", "i64[]"}), "f32[2,3]");
  EXPECT_EQ(infer("Multinomial", {"f32[2,30]"}, {integer("sample_size", 4)}), "i32[2,4]");
  EXPECT_EQ(infer("Det", {"f32[2,3,3]"}), "f32[2]");
}

// Every type of the op table has a rule, or is here.
TEST(OnnxRules, OfAllTypesInTheTable) {
  std::set<std::string> without;
  const auto has_none = [&](std::string_view domain, std::string_view types) {
    for (const std::string_view type : split(types, ' ')) without.insert(fmt::format("{}{}", domain, type));
  };
  const std::string_view microsoft = "com.microsoft.";
  has_none("", "If Loop Scan");            // by their bodies
  has_none("", "Constant SequenceEmpty");  // nothing to infer from
  has_none("", "ImageDecoder");            // the sizes are in the data
  has_none("", "Adam Momentum Adagrad");   // optimisers, which write their inputs
  has_none(microsoft, "AdamOptimizer AdamWOptimizer LambOptimizer SGDOptimizer SGDOptimizerV2");
  has_none(microsoft, "InPlaceAccumulator InPlaceAccumulatorV2");
  has_none(microsoft, "MaxPoolGrad AveragePoolGrad");  // sizes of the forward op
  has_none(microsoft, "MatMulFpQ4 ConvTransposeWithDynamicPads");
  has_none(microsoft, "UnfoldTensor RemovePadding RestorePadding PadAndUnflatten FlattenAndUnpad");
  has_none(microsoft, "DecoderMaskedSelfAttention GemmaRotaryEmbedding QuantizeBFP DequantizeBFP MixedPrecisionScale");
  has_none(microsoft, "Group RecordEvent WaitEvent");  // order, not data
  std::size_t seen = 0;
  for (const OpChapter& chapter : op_table()) {
    if (chapter.dialect != Dialect::kOnnx) continue;
    for (const OpRow& row : chapter.rows) {
      for (const std::string_view type : split(row.types, ' ')) {
        const std::string name = fmt::format("{}{}", chapter.domain, type);
        EXPECT_NE(has_shape_rule(name), without.contains(name)) << name;
        seen += without.contains(name) ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(seen, without.size()) << "the list has types that the table does not have";
  EXPECT_FALSE(has_shape_rule("com.example.Conv"));
}

TEST(OnnxRules, HostileNumbersAreUnknownOrTooLargeSizes) {
  const std::string too_large = fmt::format("f32[{}]", kTooLarge);
  EXPECT_EQ(infer("Tile", {"f32[1099511627776]", "i64[1]={1099511627776}"}), too_large);
  EXPECT_EQ(infer("Reshape", {"f32[4]", "i64[1]={9223372036854775807}"}), too_large);
  EXPECT_EQ(infer("Range", {"i64[]={-9223372036854775807}", "i64[]={9223372036854775807}", "i64[]={1}"}), "i64[?]");
  EXPECT_EQ(infer("Slice", {"f32[10]", "i64[1]={0}", "i64[1]={5}", "i64[1]={0}", "i64[1]={0}"}), "f32[?]");
  EXPECT_EQ(infer("Conv", {"f32[1,4,10]", "f32[8,4,3]"}, {list("strides", {0})}), "f32[1,8,?]");
  EXPECT_EQ(infer("Unsqueeze", {"f32[3]", "i64[1]={7}"}), "f32[3,1]") << "an axis out of range goes to the end";
  EXPECT_EQ(infer("DepthToSpace", {"f32[1,12,4,5]"}, {integer("blocksize", 0)}), "f32[?,?,?,?]");
}

}  // namespace
}  // namespace berth
