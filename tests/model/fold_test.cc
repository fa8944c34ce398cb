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
