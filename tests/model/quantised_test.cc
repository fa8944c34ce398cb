// SPDX-License-Identifier: Apache-2.0
// Quantised patterns beside the integer kernels that runtimes make of them: the same bytes, the same rate.
#include "model/quantised.h"

#include "machine/devices.h"
#include "model/small_model.h"
#include "problem/cost/cost_model.h"

namespace berth {
namespace {

constexpr std::int64_t kChannels = 64, kSide = 14;

// A scale and a zero point, as every quantised tensor has them.
struct Scaling {
  ValueIndex scale = kNoValue, zero = kNoValue;
};

class QuantisedModel : public SmallModel {
 public:
  QuantisedModel() : SmallModel(Dialect::kOnnx) {}

  Scaling scaling(const std::string& name, DType dtype = DType::kI8) {
    return {leaf(Role::kConstant, name + "_scale", {}), leaf(Role::kConstant, name + "_zero", {}, dtype)};
  }
  ValueIndex dequantised(const std::string& name, ValueIndex narrow, std::initializer_list<std::int64_t> sizes) {
    const Scaling by = scaling(name);
    return node(name, "DequantizeLinear", {narrow, by.scale, by.zero}, sizes);
  }
  ValueIndex quantised(const std::string& name, ValueIndex wide, std::initializer_list<std::int64_t> sizes) {
    const Scaling by = scaling(name);
    return node(name, "QuantizeLinear", {wide, by.scale, by.zero}, sizes, DType::kI8);
  }
};

double seconds_of(const Graph& graph, std::string_view device_name) {
  double sum = 0.0;
  for (const DeviceModel& model : device_models()) {
    if (model.name != device_name) continue;
    const Device device = make_device(model, "gpu");
    for (const OpId op : graph.ops()) {
      if (graph.role(op) == Role::kCompute) sum += op_time_s(price(graph, op, device), device);
    }
  }
  return sum;
}

DType dtype_of(const Graph& graph, std::string_view name) {
  return graph.dtype(graph.outputs(op_named(graph, name))[0]);
}

// x, wq -> y: dequantised convolution, clamped if asked for, quantised again.
Graph spelled_out_conv(bool with_relu, bool with_other_reader = false) {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {1, kChannels, kSide, kSide}, DType::kI8);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {kChannels, kChannels, 3, 3}, DType::kI8);
  const ValueIndex wide_x = net.dequantised("dx", x, {1, kChannels, kSide, kSide});
  const ValueIndex wide_w = net.dequantised("dw", w, {kChannels, kChannels, 3, 3});
  ValueIndex y = net.node("conv", "Conv", {wide_x, wide_w}, {1, kChannels, kSide, kSide});
  if (with_relu) y = net.node("relu", "Relu", {y}, {1, kChannels, kSide, kSide});
  net.output(net.quantised("q", y, {1, kChannels, kSide, kSide}));
  if (with_other_reader) net.output(net.node("tanh", "Tanh", {wide_x}, {1, kChannels, kSide, kSide}));
  return net.lower().graph;
}

Graph integer_conv() {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {1, kChannels, kSide, kSide}, DType::kI8);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {kChannels, kChannels, 3, 3}, DType::kI8);
  const Scaling of_x = net.scaling("dx"), of_w = net.scaling("dw"), of_y = net.scaling("q");
  net.output(net.node("conv", "QLinearConv",
                      {x, of_x.scale, of_x.zero, w, of_w.scale, of_w.zero, of_y.scale, of_y.zero},
                      {1, kChannels, kSide, kSide}, DType::kI8));
  return net.lower().graph;
}

TEST(Quantised, AConvolutionIsTheIntegerKernelThatRuns) {
  const Graph spelled_out = spelled_out_conv(false), fused = integer_conv();
  const OpId conv = op_named(spelled_out, "conv"), kernel = op_named(fused, "conv");
  EXPECT_EQ(spelled_out.bytes_touched(conv), fused.bytes_touched(kernel));
  EXPECT_EQ(spelled_out.flops(conv), fused.flops(kernel));
  EXPECT_EQ(seconds_of(spelled_out, "rtx4090"), seconds_of(fused, "rtx4090"));
  for (const char* name : {"dx", "dw", "q"}) {
    EXPECT_EQ(role_of(spelled_out, name), Role::kView) << name;
    EXPECT_EQ(dtype_of(spelled_out, name), DType::kI8) << name;
    EXPECT_EQ(spelled_out.colocation_group(op_named(spelled_out, name)), spelled_out.colocation_group(conv)) << name;
  }
  EXPECT_GE(spelled_out.colocation_group(conv), 0);
}

TEST(Quantised, AClampBeforeTheEndIsPartOfTheKernel) {
  const Graph clamped = spelled_out_conv(true);
  EXPECT_EQ(role_of(clamped, "relu"), Role::kView);
  EXPECT_EQ(seconds_of(clamped, "rtx4090"), seconds_of(integer_conv(), "rtx4090"));
}

TEST(Quantised, WhatOthersReadIsDequantisedForThem) {
  const Graph graph = spelled_out_conv(false, true);
  EXPECT_EQ(role_of(graph, "dx"), Role::kCompute);
  EXPECT_EQ(dtype_of(graph, "dx"), DType::kF32);
  EXPECT_EQ(role_of(graph, "dw"), Role::kView);
  EXPECT_EQ(graph.bytes_touched(op_named(graph, "conv")),
            integer_conv().bytes_touched(op_named(integer_conv(), "conv")))
      << "the kernel reads the narrow numbers all the same";
}

TEST(Quantised, WithoutTheEndNothingIsFolded) {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {8, 8}, DType::kI8);
  const ValueIndex wide = net.dequantised("dx", x, {8, 8});
  net.output(net.node("y", "Sigmoid", {wide}, {8, 8}));
  const Graph graph = net.lower().graph;
  EXPECT_EQ(role_of(graph, "dx"), Role::kCompute);
  EXPECT_EQ(dtype_of(graph, "dx"), DType::kF32);
  EXPECT_LT(graph.colocation_group(op_named(graph, "y")), 0);
}

constexpr std::int64_t kRows = 256, kColumns = 512, kBlock = 32;

// Narrow weights in blocks, by themselves, or behind a Transpose; activations of half precision.
Graph weights_alone(bool transposed) {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {1, kRows}, DType::kF16);
  ValueIndex w = kNoValue;
  if (transposed) {
    const ValueIndex stored = net.leaf(Role::kParameter, "w", {kColumns, kRows}, DType::kI4);
    const ValueIndex scale = net.leaf(Role::kParameter, "scale", {kColumns, kRows / kBlock}, DType::kF16);
    const ValueIndex wide = net.node("dw", "DequantizeLinear", {stored, scale}, {kColumns, kRows}, DType::kF16);
    w = net.node("turned", "Transpose", {wide}, {kRows, kColumns}, DType::kF16);
    net.last().attributes = {{"perm", std::vector<std::int64_t>{1, 0}}};
  } else {
    const ValueIndex stored = net.leaf(Role::kParameter, "w", {kRows, kColumns}, DType::kI4);
    const ValueIndex scale = net.leaf(Role::kParameter, "scale", {kRows / kBlock, kColumns}, DType::kF16);
    w = net.node("dw", "DequantizeLinear", {stored, scale}, {kRows, kColumns}, DType::kF16);
  }
  net.output(net.node("mm", "MatMul", {x, w}, {1, kColumns}, DType::kF16));
  return net.lower().graph;
}

Graph product_of_nibbles() {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {1, kRows}, DType::kF16);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {kColumns, kRows / kBlock, kBlock / 2}, DType::kU8);
  const ValueIndex scale = net.leaf(Role::kParameter, "scale", {kColumns * kRows / kBlock}, DType::kF16);
  net.output(net.node("mm", "com.microsoft.MatMulNBits", {x, w, scale}, {1, kColumns}, DType::kF16));
  net.last().attributes = {{"K", kRows}, {"N", kColumns}, {"bits", std::int64_t{4}}, {"block_size", kBlock}};
  return net.lower().graph;
}

TEST(Quantised, ProductsReadNarrowWeightsAsTheyAreStored) {
  const Graph fused = product_of_nibbles();
  const OpId kernel = op_named(fused, "mm");
  for (const bool transposed : {false, true}) {
    const Graph graph = weights_alone(transposed);
    const OpId product = op_named(graph, "mm");
    EXPECT_EQ(graph.bytes_touched(product), fused.bytes_touched(kernel));
    EXPECT_EQ(graph.flops(product), fused.flops(kernel));
    EXPECT_EQ(seconds_of(graph, "rtx4090"), seconds_of(fused, "rtx4090")) << "in half precision";
    EXPECT_EQ(role_of(graph, "dw"), Role::kView);
    EXPECT_EQ(dtype_of(graph, "mm"), DType::kF16);
    EXPECT_EQ(graph.colocation_group(op_named(graph, "dw")), graph.colocation_group(product));
    if (transposed) {
      EXPECT_EQ(role_of(graph, "turned"), Role::kView);
    }
  }
}

TEST(Quantised, AWeightThatTwoProductsReadKeepsThemTogether) {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {4, 8}), w = net.leaf(Role::kParameter, "w", {8, 8}, DType::kI8);
  const ValueIndex wide = net.dequantised("dw", w, {8, 8});
  const ValueIndex a = net.node("a", "MatMul", {x, wide}, {4, 8});
  net.output(net.node("b", "MatMul", {a, wide}, {4, 8}));
  const Graph graph = net.lower().graph;
  EXPECT_EQ(role_of(graph, "dw"), Role::kView);
  EXPECT_EQ(graph.colocation_group(op_named(graph, "a")), graph.colocation_group(op_named(graph, "b")));
}

// Both factors are narrow, so the product runs at their rate, and puts out floating numbers.
TEST(Quantised, AProductNeedsNoEnd) {
  QuantisedModel net;
  const ValueIndex x = net.input("x", {512, 512}, DType::kI8);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {512, 512}, DType::kI8);
  net.output(net.node("mm", "MatMul", {net.dequantised("dx", x, {512, 512}), net.dequantised("dw", w, {512, 512})},
                      {512, 512}));
  const Graph graph = net.lower().graph;
  EXPECT_EQ(role_of(graph, "dx"), Role::kView);
  EXPECT_EQ(dtype_of(graph, "mm"), DType::kF32);
  EXPECT_EQ(features_of(graph, op_named(graph, "mm")).dtype, DType::kI8);
}

TEST(Quantised, ElementwiseOpsAndMovesRunOnNarrowNumbers) {
  for (const char* type : {"Add", "Mul", "Concat"}) {
    QuantisedModel net;
    const ValueIndex a = net.input("a", {1000}, DType::kI8), b = net.input("b", {1000}, DType::kI8);
    const bool joins = std::string_view(type) == "Concat";
    const std::initializer_list<std::int64_t> single{1000}, twice{2000};
    const ValueIndex made = net.node("op", type, {net.dequantised("da", a, {1000}), net.dequantised("db", b, {1000})},
                                     joins ? twice : single);
    if (joins) net.last().attributes = {{"axis", std::int64_t{0}}};
    net.output(net.quantised("q", made, joins ? twice : single));
    const Graph graph = net.lower().graph;
    EXPECT_EQ(dtype_of(graph, "op"), DType::kI8) << type;
    EXPECT_EQ(graph.bytes_touched(op_named(graph, "op")), 2000 + (joins ? 2000 : 1000) + 3 * (4 + 1)) << type;
  }
}

}  // namespace
}  // namespace berth
