// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/op_class.h"

#include <gtest/gtest.h>

#include "problem/parts.h"
#include "zoo/op_types.h"

namespace berth {
namespace {

CostClass class_of_one(const OneOp& spec) {
  const OneOpGraph one = one_op(spec);
  return class_of(one.graph, one.op);
}

TEST(OpClass, SpellingDoesNotMatter) {
  for (const char* type : {"aten._log_softmax.default", "LogSoftmax", "log_softmax", "aten::log_softmax"}) {
    EXPECT_EQ(class_of_type(type), CostClass::kSoftmax) << type;
    EXPECT_TRUE(is_known_type(type)) << type;
  }
  EXPECT_EQ(class_of_type("aten.sum.dim_IntList"), CostClass::kReduction);
  EXPECT_EQ(class_of_type("FusedBatchNormGradV3"), CostClass::kBatchNormGrad);
}

TEST(OpClass, GradientsOfElementwiseOpsAreElementwise) {
  for (const char* type :
       {"sigmoid_grad", "aten.tanh_backward.default", "GeluGrad", "aten.threshold_backward.default"}) {
    EXPECT_TRUE(is_known_type(type)) << type;
    EXPECT_EQ(class_of_type(type), CostClass::kElementwise) << type;
  }
}

TEST(OpClass, UnknownTypesCountAsElementwise) {
  for (const char* type : {"frobnicate", "frobnicate_grad", "", "grad", "matmul_grad"}) {
    EXPECT_FALSE(is_known_type(type)) << type;
    EXPECT_EQ(class_of_type(type), CostClass::kElementwise) << type;
  }
  EXPECT_FALSE(is_known_type(std::string(1000, 'x')));
}

TEST(OpClass, KnowsEveryTypeOfTheZoo) {
  for (const OpTypeInfo& type : zoo_op_types()) EXPECT_TRUE(is_known_type(type.name)) << type.name;
}

TEST(OpClass, ZooTypesHaveTheClassTheirNameSays) {
  EXPECT_EQ(class_of_type("batch_matmul"), CostClass::kMatmul);
  EXPECT_EQ(class_of_type("conv1d_grad_weight"), CostClass::kConvGradWindowed);
  EXPECT_EQ(class_of_type("dropout"), CostClass::kRandom);
  EXPECT_EQ(class_of_type("dropout_grad"), CostClass::kElementwise);
  EXPECT_EQ(class_of_type("embedding_grad"), CostClass::kScatter);
  EXPECT_EQ(class_of_type("rms_norm_grad"), CostClass::kLayerNormGrad);
  EXPECT_EQ(class_of_type("adam_update"), CostClass::kUpdate);
  EXPECT_EQ(class_of_type("nll_loss_grad"), CostClass::kLossGrad);
}

TEST(OpClass, WindowOfAConvolutionInAnyLayout) {
  const Shapes image{{8, 16, 10, 10}}, out{{8, 32, 10, 10}};
  const auto conv = [&](std::vector<std::int64_t> weight) {
    return class_of_one({"conv2d", {image[0], std::move(weight)}, out, 1e6});
  };
  EXPECT_EQ(conv({32, 16, 1, 1}), CostClass::kConvPointwise);
  EXPECT_EQ(conv({1, 1, 16, 32}), CostClass::kConvPointwise) << "channels last";
  EXPECT_EQ(conv({32, 16, 3, 3}), CostClass::kConvWindowed);
  EXPECT_EQ(conv({32, 16, 1, 7}), CostClass::kConvWindowed);
}

TEST(OpClass, WindowOfAConvolutionsGradients) {
  const std::vector<std::int64_t> x{8, 16, 10, 10}, y{8, 32, 10, 10}, w{32, 16, 1, 1};
  EXPECT_EQ(class_of_one({"aten.convolution_backward.default", {y, x, w}, {x, w}, 1e6}), CostClass::kConvGradPointwise);
  EXPECT_EQ(class_of_one({"conv2d_grad_input", {y, w}, {x}, 1e6}), CostClass::kConvGradPointwise);
  EXPECT_EQ(class_of_one({"conv2d_grad_input", {w, y}, {x}, 1e6}), CostClass::kConvGradPointwise);
  EXPECT_EQ(class_of_one({"conv2d_grad_weight", {y, x}, {w}, 1e6}), CostClass::kConvGradPointwise);
  EXPECT_EQ(class_of_one({"conv2d_grad_weight", {y, x}, {{32, 16, 3, 3}}, 1e6}), CostClass::kConvGradWindowed);
}

TEST(OpClass, BatchNormThatSavesNothingIsInference) {
  const Shapes inputs{{8, 16, 10, 10}, {16}, {16}};
  EXPECT_EQ(class_of_one({"batch_norm", inputs, {{8, 16, 10, 10}}}), CostClass::kBatchNormInference);
  EXPECT_EQ(class_of_one({"batch_norm", inputs, {{8, 16, 10, 10}, {0}}}), CostClass::kBatchNormInference);
  EXPECT_EQ(class_of_one({"batch_norm", inputs, {{8, 16, 10, 10}, {16}, {16}}}), CostClass::kBatchNorm);
}

TEST(OpClass, SeveralOperandsAreJoinedNotReduced) {
  const std::vector<std::int64_t> x{8, 16};
  EXPECT_EQ(class_of_one({"Sum", {x, x, x}, {x}}), CostClass::kElementwise) << "ONNX";
  EXPECT_EQ(class_of_one({"Max", {x, {16}}, {x}}), CostClass::kElementwise) << "ONNX, broadcast";
  EXPECT_EQ(class_of_one({"Sum", {x}, {{8}}, 0.0, {{1}}}), CostClass::kReduction) << "TensorFlow, with axes";
  EXPECT_EQ(class_of_one({"aten.sum.dim_IntList", {x}, {{8}}}), CostClass::kReduction);
}

TEST(OpClass, EveryClassHasItsName) {
  for (int i = 0; i < kCostClasses; ++i) EXPECT_FALSE(name_of(static_cast<CostClass>(i)).empty());
  EXPECT_EQ(name_of(CostClass::kMatmul), "matmul");
  EXPECT_EQ(name_of(CostClass::kScatter), "scatter");
  EXPECT_EQ(name_of(CostClass::kNothing), "nothing");
}

}  // namespace
}  // namespace berth
