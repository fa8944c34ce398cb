// SPDX-License-Identifier: Apache-2.0
#include "model/fold.h"

#include "model/small_model.h"

namespace berth {
namespace {

TEST(Fold, AnotherNameOfAWeightIsTheWeightItself) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex w = net.parameter("w", {5, 7}), x = net.input("x", {3, 5});
  const ValueIndex first = net.node("w/read", "Identity", {w}, {5, 7});
  const ValueIndex second = net.node("w/read_again", "Identity", {first}, {5, 7});
  const ValueIndex a = net.node("a", "MatMul", {x, first}, {3, 7});
  const ValueIndex b = net.node("b", "MatMul", {x, second}, {3, 7});
  net.output(net.node("sum", "Add", {a, b}, {3, 7}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.parameter_bytes(), 5 * 7 * 4) << "once";
  EXPECT_EQ(lowered.graph.num_ops(), 5U) << "x, w, a, b, sum";
  const OpId weight = op_named(lowered.graph, "w");
  EXPECT_EQ(lowered.graph.consumers(lowered.graph.outputs(weight)[0]).size(), 2U);
}

TEST(Fold, AnOutputThatIsAnotherNameIsTheTensorItself) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.parameter("w", {5, 7});
  net.output(net.node("same", "Identity", {w}, {5, 7}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.num_ops(), 1U);
  EXPECT_EQ(lowered.graph.graph_outputs().size(), 1U);
}

TEST(Fold, AWeightInAnotherShapeStaysAParameter) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.parameter("w", {7, 5}), x = net.input("x", {3, 5});
  const ValueIndex turned = net.node("turned", "Transpose", {w}, {5, 7});
  net.output(net.node("y", "MatMul", {x, turned}, {3, 7}));
  const Lowered lowered = net.lower();
  const OpId parameter = op_named(lowered.graph, "turned");
  EXPECT_EQ(lowered.graph.role(parameter), Role::kParameter);
  EXPECT_EQ(lowered.graph.label(parameter), "w");
  EXPECT_EQ(lowered.graph.parameter_bytes(), 5 * 7 * 4);
}

// Names of weights may be as long as the file, and there may be thousands of forms of one.
TEST(Fold, FormsOfAWeightHaveItsLabelUpToALimit) {
  const std::string name(10'000, 'w');
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.parameter(name, {7, 5}), x = net.input("x", {3, 5});
  const ValueIndex turned = net.node("turned", "Transpose", {w}, {5, 7});
  const ValueIndex back = net.node("back", "Transpose", {turned}, {7, 5});
  const ValueIndex again = net.node("again", "Transpose", {back}, {5, 7});
  net.output(net.node("y", "MatMul", {x, again}, {3, 7}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.label(op_named(lowered.graph, "again")), name.substr(0, 4096));
}

// As exporters write tied embeddings: runtimes keep both forms, but it is one weight.
TEST(Fold, AWeightInTwoFormsIsOneParameter) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.parameter("w", {9, 5}), ids = net.input("ids", {3}, DType::kI64);
  const ValueIndex x = net.node("x", "Gather", {w, ids}, {3, 5});
  const ValueIndex turned = net.node("turned", "Transpose", {w}, {5, 9});
  net.output(net.node("y", "MatMul", {x, turned}, {3, 9}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.parameter_bytes(), 9 * 5 * 4);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "w")), Role::kParameter);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "turned")), Role::kConstant);
}

TEST(Fold, QuantisedWeightsAreWidenedWithinTheStep) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {5, 7}, DType::kI8), x = net.input("x", {5, 7});
  const ValueIndex scale = net.parameter("scale", {7}), zero = net.leaf(Role::kConstant, "zero", {7}, DType::kI8);
  const ValueIndex wide = net.node("wide", "DequantizeLinear", {w, scale, zero}, {5, 7});
  net.output(net.node("y", "Sub", {x, wide}, {5, 7}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.parameter_bytes(), 5 * 7 * 1 + 7 * 4);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "w")), Role::kParameter);
  const OpId dequantize = op_named(lowered.graph, "wide");
  EXPECT_EQ(lowered.graph.role(dequantize), Role::kCompute);
  EXPECT_EQ(lowered.graph.bytes(lowered.graph.outputs(dequantize)[0]), 5 * 7 * 4);
}

// Opset 21: one scale for every 32 of the rows, four bits a weight.
TEST(Fold, BlocksOfFourBitsStayFourBits) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {64, 10}, DType::kI4), x = net.input("x", {3, 64});
  const ValueIndex wide = net.node("wide", "DequantizeLinear", {w, net.parameter("scale", {2, 10})}, {64, 10});
  net.last().attributes = {{"axis", std::int64_t{0}}, {"block_size", std::int64_t{32}}};
  net.output(net.node("y", "MatMul", {x, wide}, {3, 10}));
  EXPECT_EQ(net.lower().graph.parameter_bytes(), 64 * 10 / 2 + 2 * 10 * 4);
}

TEST(Fold, QuantisedWeightsOfTheSameSizeAreFolded) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {7, 5}, DType::kI8), x = net.input("x", {3, 5}, DType::kI8);
  const ValueIndex turned = net.node("turned", "Transpose", {w}, {5, 7}, DType::kI8);
  const ValueIndex mask = net.leaf(Role::kParameter, "mask", {3, 7}, DType::kBool);
  const ValueIndex product = net.node("product", "MatMulInteger", {x, turned}, {3, 7}, DType::kI32);
  net.output(net.node("y", "Mul", {product, net.node("m", "Cast", {mask}, {3, 7}, DType::kI32)}, {3, 7}, DType::kI32));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "turned")), Role::kParameter);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "m")), Role::kParameter) << "truth values are not quantised";
}

// As OpenVINO's tools compress a weight to four bits: groups of 16 columns with a zero and a scale each.
TEST(Fold, CompressedWeightsOfOpenVinoStayAsTheyAreStored) {
  SmallModel net(Dialect::kOpenVino);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {8, 2, 16}, DType::kI4), x = net.input("x", {3, 32});
  const ValueIndex zero = net.leaf(Role::kParameter, "zero", {8, 2, 1}, DType::kI4);
  const ValueIndex scale = net.leaf(Role::kParameter, "scale", {8, 2, 1}, DType::kF16);
  const ValueIndex wide = net.node("wide", "Convert", {w}, {8, 2, 16}, DType::kF16);
  const ValueIndex wide_zero = net.node("wide_zero", "Convert", {zero}, {8, 2, 1}, DType::kF16);
  const ValueIndex moved = net.node("moved", "Subtract", {wide, wide_zero}, {8, 2, 16}, DType::kF16);
  const ValueIndex scaled = net.node("scaled", "Multiply", {moved, scale}, {8, 2, 16}, DType::kF16);
  const ValueIndex flat = net.node("flat", "Reshape", {scaled}, {8, 32}, DType::kF16);
  const ValueIndex full = net.node("full", "Convert", {flat}, {8, 32});
  net.output(net.node("y", "MatMul", {x, full}, {3, 8}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.parameter_bytes(), 8 * 32 / 2 + 8 * 2 / 2 + 8 * 2 * 2);
  for (const auto* name : {"wide", "moved", "scaled", "full"}) {
    EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, name)), Role::kCompute) << name;
  }
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "flat")), Role::kView);
}

TEST(Fold, WeightsThatOpenVinoSavesInHalfPrecisionCountAsStored) {
  SmallModel net(Dialect::kOpenVino);
  const ValueIndex w = net.leaf(Role::kParameter, "w", {5, 7}, DType::kF16), x = net.input("x", {3, 5});
  const ValueIndex v = net.leaf(Role::kParameter, "v", {49}, DType::kF16);
  const ValueIndex a = net.node("a", "MatMul", {x, net.node("w32", "Convert", {w}, {5, 7})}, {3, 7});
  const ValueIndex square = net.node("square", "Reshape", {net.node("v32", "Convert", {v}, {49})}, {7, 7});
  net.output(net.node("b", "MatMul", {a, square}, {3, 7}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.parameter_bytes(), (5 * 7 + 49) * 2);
  EXPECT_EQ(op_named(lowered.graph, "w32"), kNoOp);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "square")), Role::kParameter);
  EXPECT_EQ(lowered.graph.label(op_named(lowered.graph, "square")), "v");
  EXPECT_EQ(lowered.graph.dtype(lowered.graph.outputs(op_named(lowered.graph, "a"))[0]), DType::kF32);
}

TEST(Fold, WhatTheStepWritesIsNotFolded) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex w = net.parameter("w", {5, 7}), x = net.input("x", {5, 7});
  const ValueIndex read = net.node("read", "Identity", {w}, {5, 7});
  const ValueIndex turned = net.node("turned", "Transpose", {read}, {7, 5});
  net.output(net.node("y", "MatMul", {x, turned}, {5, 5}));
  net.node("step", "ApplyGradientDescent", {w, net.leaf(Role::kConstant, "rate", {}), x}, {5, 7});
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "read")), Role::kView);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "turned")), Role::kCompute)
      << "the weight is another every step";
}

TEST(Fold, CachesThatAreWrittenInPlaceStayBuffers) {
  SmallModel net(Dialect::kAten);
  const ValueIndex cache = net.leaf(Role::kBuffer, "cache", {8, 16}), row = net.input("row", {1, 16});
  const ValueIndex part = net.node("part", "aten.slice.Tensor", {cache}, {1, 16});
  net.node("write", "aten.copy_.default", {part, row}, {1, 16});
  net.output(net.node("sum", "aten.sum.default", {cache}, {}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "part")), Role::kView);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "cache")), Role::kBuffer);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "sum")), Role::kCompute);
}

TEST(Fold, StateIsNotAConstant) {
  SmallModel net(Dialect::kOpenVino);
  const ValueIndex state = net.leaf(Role::kBuffer, "state", {4}), zero = net.leaf(Role::kConstant, "zero", {4});
  const ValueIndex read = net.node("read", "ReadValue", {state, zero}, {4});
  net.output(net.node("y", "Tanh", {read}, {4}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "read")), Role::kView);
  EXPECT_EQ(lowered.graph.role(op_named(lowered.graph, "y")), Role::kCompute);
}

}  // namespace
}  // namespace berth
