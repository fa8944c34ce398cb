// SPDX-License-Identifier: Apache-2.0
// Flops of every formula and dialect, worked by hand: 2 per multiply-add.
#include "ops/flops.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth {
namespace {

using Shapes = std::vector<TensorSizes>;

TensorSizes sizes(std::initializer_list<std::int64_t> list) { return std::vector<std::int64_t>(list); }
const TensorSizes kMissing = std::nullopt;

// An op whose attributes, where it has any, are set by the test.
double flops(Dialect dialect, std::string_view type, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  const auto info = find_op(dialect, type);
  EXPECT_TRUE(info) << type;
  facts.inputs = std::move(inputs);
  facts.outputs = std::move(outputs);
  return flops_of(info.value_or(OpInfo{}).flops, facts);
}

double onnx(std::string_view type, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  return flops(Dialect::kOnnx, type, std::move(inputs), std::move(outputs), std::move(facts));
}
double microsoft(const std::string& type, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  return onnx("com.microsoft." + type, std::move(inputs), std::move(outputs), std::move(facts));
}
double tensorflow(std::string_view type, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  return flops(Dialect::kTensorFlow, type, std::move(inputs), std::move(outputs), std::move(facts));
}
double openvino(std::string_view type, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  return flops(Dialect::kOpenVino, type, std::move(inputs), std::move(outputs), std::move(facts));
}
double aten(const std::string& name, Shapes inputs, Shapes outputs, OpFacts facts = {}) {
  return flops(Dialect::kAten, "aten." + name, std::move(inputs), std::move(outputs), std::move(facts));
}
double zoo(std::string_view type, Shapes inputs, Shapes outputs) {
  return flops(Dialect::kZoo, type, std::move(inputs), std::move(outputs));
}

TEST(Flops, MatrixProducts) {
  const Shapes factors{sizes({3, 5}), sizes({5, 7})}, product{sizes({3, 7})};
  const double expected = 2.0 * 3 * 5 * 7;
  EXPECT_EQ(onnx("MatMul", factors, product), expected);
  EXPECT_EQ(tensorflow("MatMul", factors, product), expected);
  EXPECT_EQ(openvino("MatMul", factors, product), expected);
  EXPECT_EQ(aten("mm.default", factors, product), expected);
  EXPECT_EQ(zoo("matmul", factors, product), expected);
  const Shapes transposed{sizes({5, 3}), sizes({5, 7})};
  EXPECT_EQ(onnx("Gemm", transposed, product, {.first_is_transposed = true}), expected);
  EXPECT_EQ(tensorflow("BatchMatMulV2", {sizes({2, 5, 3}), sizes({2, 5, 7})}, {sizes({2, 3, 7})},
                       {.first_is_transposed = true}),
            2 * expected);
  EXPECT_EQ(onnx("MatMul", {sizes({5}), sizes({5, 7})}, {sizes({7})}), 2.0 * 5 * 7) << "a vector";
  EXPECT_EQ(onnx("MatMul", {sizes({4, 1, 3, 5}), sizes({2, 5, 7})}, {sizes({4, 2, 3, 7})}), 8 * expected)
      << "broadcast";
}

TEST(Flops, ProductsWithOtherInputs) {
  EXPECT_EQ(aten("addmm.default", {sizes({7}), sizes({3, 5}), sizes({5, 7})}, {sizes({3, 7})}), 2.0 * 3 * 5 * 7);
  EXPECT_EQ(aten("linear.default", {sizes({2, 3, 5}), sizes({7, 5}), sizes({7})}, {sizes({2, 3, 7})}),
            2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(aten("addbmm.default", {sizes({3, 7}), sizes({4, 3, 5}), sizes({4, 5, 7})}, {sizes({3, 7})}),
            2.0 * 4 * 3 * 5 * 7);
  EXPECT_EQ(aten("mv.default", {sizes({3, 5}), sizes({5})}, {sizes({3})}), 2.0 * 3 * 5);
  EXPECT_EQ(onnx("QLinearMatMul", {sizes({3, 5}), sizes({}), sizes({}), sizes({5, 7})}, {sizes({3, 7})}),
            2.0 * 3 * 5 * 7);
  EXPECT_EQ(microsoft("MatMulNBits", {sizes({3, 64}), sizes({7, 2, 16})}, {sizes({3, 7})}), 2.0 * 3 * 64 * 7);
  // Rows behind the batch when transposed: [terms, batch, rows].
  EXPECT_EQ(microsoft("FusedMatMul", {sizes({5, 2, 3}), sizes({2, 5, 7})}, {sizes({2, 3, 7})},
                      {.first_is_transposed = true, .batch_is_inside = true}),
            2.0 * 2 * 3 * 5 * 7);
}

TEST(Flops, Einsum) {
  const Shapes factors{sizes({2, 3, 5}), sizes({2, 5, 7})};
  EXPECT_EQ(onnx("Einsum", factors, {sizes({2, 3, 7})}, {.equation = "bij, bjk -> bik"}), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(tensorflow("Einsum", factors, {sizes({2, 3, 7})}, {.equation = "...ij,...jk->...ik"}), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(openvino("Einsum", {sizes({3}), sizes({5})}, {sizes({3, 5})}, {.equation = "i,j->ij"}), 2.0 * 3 * 5);
  EXPECT_EQ(aten("einsum.default", {sizes({4, 2, 3, 5}), sizes({5, 7})}, {sizes({4, 2, 3, 7})},
                 {.equation = "...j,jk->...k"}),
            2.0 * 4 * 2 * 3 * 5 * 7);
  EXPECT_EQ(onnx("Einsum", {sizes({3, 5})}, {sizes({5, 3})}, {.equation = "ij->ji"}), 0.0) << "a transposition";
  EXPECT_EQ(onnx("Einsum", factors, {sizes({2, 3, 7})}), 0.0) << "no equation";
  EXPECT_EQ(onnx("Einsum", factors, {sizes({2, 3, 7})}, {.equation = "bij,bjk"}), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(onnx("Einsum", {kMissing, factors[1]}, {sizes({2, 3, 7})}, {.equation = "bij,bjk->bik"}), 0.0);
}

// a [3,4], b [4,5], c [5,6]: (ab)c takes 3*4*5 + 3*5*6 multiply-adds, a(bc) 4*5*6 + 3*4*6.
TEST(Flops, AnEinsumOfSeveralOperandsIsMultipliedTwoByTwo) {
  const Shapes chain{sizes({3, 4}), sizes({4, 5}), sizes({5, 6})};
  EXPECT_EQ(onnx("Einsum", chain, {sizes({3, 6})}, {.equation = "ij,jk,kl->il"}), 2.0 * (3 * 4 * 5 + 3 * 5 * 6));
  EXPECT_EQ(
      onnx("Einsum", {sizes({30, 4}), sizes({4, 50}), sizes({50, 6})}, {sizes({30, 6})}, {.equation = "ij,jk,kl->il"}),
      2.0 * (4 * 50 * 6 + 30 * 4 * 6))
      << "the better order";
  EXPECT_EQ(onnx("Einsum", {sizes({3}), sizes({3}), sizes({3})}, {sizes({3})}, {.equation = "i,i,i->i"}),
            2.0 * (3 + 3));
  EXPECT_EQ(onnx("Einsum", chain, {sizes({3, 6})}, {.equation = "ij,jk,kl"}), 2.0 * (3 * 4 * 5 + 3 * 5 * 6))
      << "no arrow";
  Shapes many;
  std::string equation;
  for (char c = 'a'; c < 'a' + 9; ++c) {
    many.push_back(sizes({2, 2}));
    equation += fmt::format("{}{}{}", equation.empty() ? "" : ",", c, static_cast<char>(c + 1));
  }
  EXPECT_EQ(onnx("Einsum", many, {sizes({2, 2})}, {.equation = equation + "->aj"}), 2.0 * 8 * 8)
      << "from left to right";
}

TEST(Flops, Convolutions) {
  const TensorSizes x = sizes({2, 6, 9, 9}), y = sizes({2, 8, 7, 7});
  const double full = 2.0 * (2 * 8 * 7 * 7) * (6 * 3 * 3), grouped = full / 2;
  EXPECT_EQ(onnx("Conv", {x, sizes({8, 6, 3, 3})}, {y}), full);
  EXPECT_EQ(onnx("Conv", {x, sizes({8, 3, 3, 3})}, {y}), grouped) << "two groups";
  EXPECT_EQ(onnx("QLinearConv", {x, sizes({}), sizes({}), sizes({8, 6, 3, 3})}, {y}), full);
  EXPECT_EQ(microsoft("FusedConv", {x, sizes({8, 6, 3, 3}), sizes({8})}, {y}), full);
  EXPECT_EQ(openvino("Convolution", {x, sizes({8, 6, 3, 3})}, {y}), full);
  EXPECT_EQ(openvino("GroupConvolution", {x, sizes({2, 4, 3, 3, 3})}, {y}), grouped);
  EXPECT_EQ(openvino("DeformableConvolution", {x, sizes({2, 18, 7, 7}), sizes({8, 6, 3, 3})}, {y}), full);
  EXPECT_EQ(aten("conv2d.default", {x, sizes({8, 3, 3, 3}), sizes({8})}, {y}), grouped);
  EXPECT_EQ(zoo("conv2d", {x, sizes({8, 6, 3, 3})}, {y}), full);
  const TensorSizes last = sizes({2, 9, 9, 6}), made = sizes({2, 7, 7, 8});
  EXPECT_EQ(tensorflow("Conv2D", {last, sizes({3, 3, 6, 8})}, {made}), full);
  EXPECT_EQ(tensorflow("DepthwiseConv2dNative", {last, sizes({3, 3, 6, 2})}, {sizes({2, 7, 7, 12})}),
            2.0 * (2 * 7 * 7 * 12) * 9);
  EXPECT_EQ(aten("conv1d.default", {sizes({2, 6, 20}), sizes({8, 6, 5})}, {sizes({2, 8, 16})}),
            2.0 * (2 * 8 * 16) * (6 * 5));
}

TEST(Flops, TransposedConvolutions) {
  const TensorSizes x = sizes({2, 6, 4, 4}), y = sizes({2, 8, 8, 8});
  const double expected = 2.0 * (2 * 6 * 4 * 4) * (8 * 2 * 2);
  EXPECT_EQ(onnx("ConvTranspose", {x, sizes({6, 8, 2, 2})}, {y}), expected);
  EXPECT_EQ(aten("conv_transpose2d.input", {x, sizes({6, 8, 2, 2})}, {y}), expected);
  EXPECT_EQ(aten("convolution.default", {x, sizes({6, 8, 2, 2})}, {y}, {.conv_is_transposed = true}), expected);
  EXPECT_EQ(openvino("ConvolutionBackpropData", {x, sizes({6, 8, 2, 2})}, {y}), expected);
  EXPECT_EQ(openvino("GroupConvolutionBackpropData", {x, sizes({2, 3, 4, 2, 2})}, {y}), expected / 2);
  EXPECT_EQ(
      tensorflow("Conv2DBackpropInput", {sizes({4}), sizes({2, 2, 8, 6}), sizes({2, 4, 4, 6})}, {sizes({2, 8, 8, 8})}),
      expected);
}

TEST(Flops, GradientsOfConvolutions) {
  const TensorSizes x = sizes({2, 6, 9, 9}), y = sizes({2, 8, 7, 7}), w = sizes({8, 6, 3, 3});
  const double forward = 2.0 * (2 * 8 * 7 * 7) * (6 * 3 * 3);
  EXPECT_EQ(zoo("conv2d_grad_input", {y, w}, {x}), forward);
  EXPECT_EQ(zoo("conv2d_grad_weight", {y, x}, {w}), forward);
  EXPECT_EQ(aten("convolution_backward.default", {y, x, w}, {x, w, sizes({8})}), 2 * forward);
  EXPECT_EQ(aten("convolution_backward.default", {y, x, w}, {w, sizes({8})}), forward) << "of the weight alone";
  EXPECT_EQ(microsoft("ConvGrad", {y, x, w}, {x, w, sizes({8})}), 2 * forward);
  EXPECT_EQ(
      tensorflow("Conv2DBackpropFilter", {sizes({2, 9, 9, 6}), sizes({4}), sizes({2, 7, 7, 8})}, {sizes({3, 3, 6, 8})}),
      forward);
  EXPECT_EQ(tensorflow("DepthwiseConv2dNativeBackpropFilter", {sizes({2, 9, 9, 6}), sizes({4}), sizes({2, 7, 7, 12})},
                       {sizes({3, 3, 6, 2})}),
            2.0 * (2 * 7 * 7 * 12) * 9);
}

TEST(Flops, Attention) {
  const TensorSizes q = sizes({2, 4, 5, 8}), k = sizes({2, 4, 7, 8}), v = sizes({2, 4, 7, 6}), y = sizes({2, 4, 5, 6});
  const double expected = 2.0 * (2 * 4 * 5) * 7 * (8 + 6);
  EXPECT_EQ(aten("scaled_dot_product_attention.default", {q, k, v}, {y}), expected);
  EXPECT_EQ(aten("_scaled_dot_product_flash_attention.default", {q, k, v}, {y, sizes({2, 4, 5})}), expected);
  EXPECT_EQ(openvino("ScaledDotProductAttention", {q, k, v}, {y}), expected);
  EXPECT_EQ(onnx("Attention", {q, k, v}, {kMissing}), expected) << "by the shape of the values";
  // Heads side by side: [batch, rows, heads * width].
  const double wide = 2.0 * (2 * 5 * 32) * 7 * 2;
  EXPECT_EQ(
      microsoft("MultiHeadAttention", {sizes({2, 5, 32}), sizes({2, 7, 32}), sizes({2, 7, 32})}, {sizes({2, 5, 32})}),
      wide);
  // Two heads of keys for four of queries; 20 keys of earlier calls are in the cache, which the second output holds.
  EXPECT_EQ(microsoft("GroupQueryAttention", {sizes({2, 1, 32}), sizes({2, 1, 16}), sizes({2, 1, 16})},
                      {sizes({2, 1, 32}), sizes({2, 2, 21, 8})}),
            2.0 * (2 * 32) * 21 * 2);
  // Queries, keys and values in one tensor.
  EXPECT_EQ(microsoft("GroupQueryAttention", {sizes({2, 5, 64}), kMissing, kMissing}, {sizes({2, 5, 32})}),
            2.0 * (2 * 5 * 32) * 5 * 2);
  EXPECT_EQ(microsoft("MultiHeadAttention", {sizes({2, 5, 4, 3, 8}), kMissing, kMissing}, {sizes({2, 5, 32})}),
            2.0 * (2 * 5 * 32) * 5 * 2);
}

TEST(Flops, AttentionWithItsProjection) {
  const double projection = 2.0 * (2 * 5) * 32 * 96, scores = 2.0 * (2 * 5 * 32) * 5 * 2;
  EXPECT_EQ(microsoft("Attention", {sizes({2, 5, 32}), sizes({32, 96}), sizes({96})}, {sizes({2, 5, 32})}),
            projection + scores);
  EXPECT_EQ(microsoft("QAttention", {sizes({2, 5, 32}), sizes({32, 96})}, {kMissing}), projection + scores);
}

TEST(Flops, GradientOfAttention) {
  const TensorSizes q = sizes({2, 4, 5, 8}), k = sizes({2, 4, 7, 8}), v = sizes({2, 4, 7, 8});
  EXPECT_EQ(aten("_scaled_dot_product_flash_attention_backward.default", {q, q, k, v}, {q, k, v}),
            5 * 2.0 * (2 * 4) * 5 * 7 * 8);
}

TEST(Flops, RecurrentLayers) {
  // 10 steps, batch 4, 16 inputs, 8 units.
  EXPECT_EQ(onnx("LSTM", {sizes({10, 4, 16}), sizes({1, 32, 16}), sizes({1, 32, 8})}, {sizes({10, 1, 4, 8})}),
            2.0 * 10 * 4 * (32 * 16 + 32 * 8));
  EXPECT_EQ(onnx("GRU", {sizes({10, 4, 16}), sizes({2, 24, 16}), sizes({2, 24, 8})}, {sizes({10, 2, 4, 8})}),
            2.0 * 10 * 4 * 2 * (24 * 16 + 24 * 8))
      << "in both directions";
  EXPECT_EQ(openvino("LSTMSequence",
                     {sizes({4, 10, 16}), sizes({4, 1, 8}), sizes({4, 1, 8}), sizes({4}), sizes({1, 32, 16}),
                      sizes({1, 32, 8}), sizes({1, 32})},
                     {sizes({4, 1, 10, 8})}),
            2.0 * 10 * 4 * (32 * 16 + 32 * 8));
  EXPECT_EQ(tensorflow("BlockLSTM", {sizes({}), sizes({10, 4, 16}), sizes({4, 8}), sizes({4, 8}), sizes({24, 32})},
                       {sizes({10, 4, 8})}),
            2.0 * 10 * 4 * 24 * 32);
  EXPECT_EQ(tensorflow("BlockLSTMGrad", {sizes({}), sizes({10, 4, 16}), sizes({4, 8}), sizes({4, 8}), sizes({24, 32})},
                       {sizes({10, 4, 16})}),
            2 * 2.0 * 10 * 4 * 24 * 32);
  EXPECT_EQ(tensorflow("CudnnRNN", {sizes({10, 4, 16}), sizes({1, 4, 8}), sizes({1, 4, 8}), sizes({832})},
                       {sizes({10, 4, 8})}),
            2.0 * 10 * 4 * 832);
  // Two layers: weights [32,16] [32,8] and [32,8] [32,8], biases, which are no matrices.
  EXPECT_EQ(aten("lstm.input",
                 {sizes({10, 4, 16}), sizes({2, 4, 8}), sizes({2, 4, 8}), sizes({32, 16}), sizes({32, 8}), sizes({32}),
                  sizes({32}), sizes({32, 8}), sizes({32, 8}), sizes({32}), sizes({32})},
                 {sizes({10, 4, 8})}),
            2.0 * 10 * 4 * (32 * 16 + 3 * 32 * 8));
}

TEST(Flops, RecurrentCells) {
  const double lstm = 2.0 * 4 * (32 * 16 + 32 * 8), gru = 2.0 * 4 * (24 * 16 + 24 * 8);
  EXPECT_EQ(tensorflow("LSTMBlockCell", {sizes({4, 16}), sizes({4, 8}), sizes({4, 8}), sizes({24, 32}), sizes({8})},
                       {sizes({4, 8})}),
            lstm);
  EXPECT_EQ(
      tensorflow("GRUBlockCell", {sizes({4, 16}), sizes({4, 8}), sizes({24, 16}), sizes({24, 8})}, {sizes({4, 8})}),
      gru);
  EXPECT_EQ(openvino("LSTMCell", {sizes({4, 16}), sizes({4, 8}), sizes({4, 8}), sizes({32, 16}), sizes({32, 8})},
                     {sizes({4, 8})}),
            lstm);
  EXPECT_EQ(openvino("GRUCell", {sizes({4, 16}), sizes({4, 8}), sizes({24, 16}), sizes({24, 8})}, {sizes({4, 8})}),
            gru);
  EXPECT_EQ(aten("lstm_cell.default", {sizes({4, 16}), sizes({4, 8}), sizes({4, 8}), sizes({32, 16}), sizes({32, 8})},
                 {sizes({4, 8})}),
            lstm);
  EXPECT_EQ(aten("gru_cell.default", {sizes({4, 16}), sizes({4, 8}), sizes({24, 16}), sizes({24, 8})}, {sizes({4, 8})}),
            gru);
}

TEST(Flops, MixtureOfExpertsCountsThoseThatARowVisits) {
  // 6 rows of 16, 4 experts of 16 x 32 and 32 x 16, two for each row.
  EXPECT_EQ(microsoft("MoE", {sizes({6, 16}), sizes({6, 4}), sizes({4, 32, 16}), kMissing, sizes({4, 16, 32})},
                      {sizes({6, 16})}, {.experts_used = 2}),
            2.0 * 6 * 2 * (32 * 16 + 16 * 32));
}

TEST(Flops, LoopsHaveThoseOfTheirBody) {
  for (const char* type : {"Loop", "TensorIterator", "If"}) {
    EXPECT_EQ(openvino(type, {sizes({4})}, {sizes({4})}, {.body_flops = 123.0}), 123.0) << type;
  }
}

TEST(Flops, OnlyProductsHaveAny) {
  const TensorSizes x = sizes({2, 8, 6, 6});
  for (const char* type : {"Relu", "Add", "Softmax", "LayerNormalization", "BatchNormalization", "MaxPool", "Gather",
                           "ReduceSum", "Concat", "Reshape"}) {
    EXPECT_EQ(onnx(type, {x, x}, {x}), 0.0) << type;
  }
}

TEST(Flops, UnknownSizesGiveNone) {
  EXPECT_EQ(onnx("MatMul", {kMissing, sizes({5, 7})}, {sizes({3, 7})}), 0.0);
  EXPECT_EQ(onnx("MatMul", {sizes({3, 5}), sizes({5, 7})}, {kMissing}), 0.0);
  EXPECT_EQ(onnx("MatMul", {}, {}), 0.0);
  EXPECT_EQ(onnx("Conv", {sizes({2, 6, 9, 9})}, {sizes({2, 8, 7, 7})}), 0.0);
  EXPECT_EQ(onnx("Conv", {sizes({2, 6, 9, 9}), sizes({0, 6, 3, 3})}, {sizes({2, 0, 7, 7})}), 0.0);
  EXPECT_EQ(onnx("LSTM", {sizes({0}), sizes({1, 32, 16})}, {}), 0.0);
  EXPECT_EQ(aten("scaled_dot_product_attention.default", {}, {}), 0.0);
  EXPECT_EQ(microsoft("MoE", {sizes({6, 16})}, {}), 0.0);
}

}  // namespace
}  // namespace berth
