// SPDX-License-Identifier: Apache-2.0
// Operators that others stand for, and what stored tensors hold before the first step.
#include "exec/program/substitutes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "exec/program/attention.h"
#include "exec/program/attention_forms.h"
#include "exec/program/dtypes.h"
#include "exec/program/initial_values.h"
#include "exec/small_captures.h"
#include "graph/builder.h"

namespace berth::exec {
namespace {

Stack substituted(std::string_view name, Stack stack, std::uint64_t seed = 1) {
  const Substitute* substitute = find_substitute(name, "");
  EXPECT_NE(substitute, nullptr) << name;
  if (substitute != nullptr) substitute->run(stack, seed);
  return stack;
}

TEST(Substitutes, AreFoundByNameWithoutOverload) {
  EXPECT_NE(find_substitute("aten::native_dropout", ""), nullptr);
  EXPECT_NE(find_substitute("aten::_scaled_dot_product_flash_attention", ""), nullptr);
  EXPECT_EQ(find_substitute("aten::native_dropout", "out"), nullptr);
  EXPECT_EQ(find_substitute("aten::relu", ""), nullptr);
}

TEST(Substitutes, AreCalledWhereTheOperatorIsNot) {
  EXPECT_FALSE(calls_itself(Itself::kNowhere, false));
  EXPECT_FALSE(calls_itself(Itself::kNowhere, true));
  EXPECT_TRUE(calls_itself(Itself::kAnywhere, false));
  EXPECT_TRUE(calls_itself(Itself::kAnywhere, true));
  EXPECT_TRUE(calls_itself(Itself::kOnCpu, false));
  EXPECT_FALSE(calls_itself(Itself::kOnCpu, true));
  EXPECT_FALSE(calls_itself(Itself::kOnCuda, false));
  EXPECT_TRUE(calls_itself(Itself::kOnCuda, true));
}

// What is kept is scaled by 1 / (1 - p), so that the mean stays.
TEST(Substitutes, DropoutKeepsItsShareAndTheMask) {
  const at::Tensor input = at::full({100, 100}, 3.0);
  const Stack found = substituted("aten::native_dropout", {input, 0.25, true});
  ASSERT_EQ(found.size(), 2U);
  const at::Tensor output = found[0].toTensor(), mask = found[1].toTensor();
  EXPECT_EQ(mask.scalar_type(), at::kBool);
  EXPECT_TRUE(at::allclose(output, mask.to(at::kFloat) * 4.0));
  const double kept = mask.to(at::kFloat).mean().item<double>();
  EXPECT_NEAR(kept, 0.75, 0.03) << "of 10,000 draws from a fixed seed";
  EXPECT_TRUE(substituted("aten::native_dropout", {input, 1.0, true})[0].toTensor().equal(at::zeros({100, 100})));
  EXPECT_TRUE(substituted("aten::native_dropout", {input, 0.0, true})[0].toTensor().equal(input));
}

TEST(Substitutes, BatchNormGivesNewStatisticsAndLeavesTheOldOnes) {
  const at::Tensor input = at::arange(24, at::kFloat).view({2, 3, 4});
  const at::Tensor mean = at::ones({3}), variance = at::full({3}, 2.0);
  const Stack found = substituted("aten::_native_batch_norm_legit_functional",
                                  {input, c10::IValue(), c10::IValue(), mean, variance, true, 0.1, 1e-5});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_TRUE(mean.equal(at::ones({3}))) << "in place would be seen by other plans";
  EXPECT_TRUE(variance.equal(at::full({3}, 2.0)));
  const at::Tensor of_batch = input.mean(at::IntArrayRef({0, 2}));
  EXPECT_TRUE(at::allclose(found[1].toTensor(), of_batch));
  EXPECT_TRUE(at::allclose(found[3].toTensor(), mean * 0.9 + of_batch * 0.1));
  const at::Tensor spread = input.transpose(0, 1).reshape({3, 8}).var(1, /*unbiased=*/true);
  EXPECT_TRUE(at::allclose(found[4].toTensor(), variance * 0.9 + spread * 0.1));
  EXPECT_NEAR(found[0].toTensor().mean().item<float>(), 0.0F, 1e-4F);
}

TEST(Substitutes, BatchNormWithoutTrainingUsesTheStatistics) {
  const at::Tensor input = at::arange(24, at::kFloat).view({2, 3, 4});
  const at::Tensor weight = at::full({3}, 2.0), bias = at::full({3}, 0.5);
  const at::Tensor mean = at::full({3}, 4.0), variance = at::full({3}, 9.0);
  const Stack found =
      substituted("aten::_native_batch_norm_legit_no_training", {input, weight, bias, mean, variance, 0.1, 0.0});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(at::allclose(found[0].toTensor(), (input - 4.0) / 3.0 * 2.0 + 0.5, 1e-4, 1e-5));
}

TEST(Substitutes, SafeSoftmaxTakesADtypeAndAnyDimension) {
  const at::Tensor input = at::arange(6, at::kFloat).view({2, 3});
  const Stack found =
      substituted("aten::_safe_softmax", {input, std::int64_t{0}, static_cast<std::int64_t>(at::kDouble)});
  EXPECT_TRUE(at::allclose(found[0].toTensor(), input.to(at::kDouble).softmax(0)));
  EXPECT_EQ(found[0].toTensor().scalar_type(), at::kDouble);
}

TEST(Substitutes, ReshapedViewsShareTheirStorage) {
  const at::Tensor input = at::arange(8, at::kFloat).view({2, 4}).narrow(0, 1, 1);
  const Stack found =
      substituted("aten::_reshape_alias", {input, std::vector<std::int64_t>{2, 2}, std::vector<std::int64_t>{2, 1}});
  EXPECT_TRUE(found[0].toTensor().equal(at::tensor({4.0F, 5.0F, 6.0F, 7.0F}).view({2, 2})))
      << "from where the input begins";
  EXPECT_TRUE(found[0].toTensor().is_alias_of(input));
}

at::Tensor noise(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::randn(sizes, at::make_generator<at::CPUGeneratorImpl>(seed));
}

// A mask of truths is one of sums: 0 where it holds, minus infinity elsewhere.
TEST(AttentionForms, MasksOfTruthsAndOfSumsAgree) {
  const at::Tensor query = noise({2, 3, 5, 8}, 1), key = noise({2, 3, 7, 8}, 2), value = noise({2, 3, 7, 8}, 3);
  const at::Tensor sees = noise({5, 7}, 4).gt(-0.5);
  const at::Tensor summand = at::zeros({5, 7}).masked_fill(sees.logical_not(), -INFINITY);
  const AttentionResult by_truth = attend({query, key, value, sees});
  const AttentionResult by_sum = attend({query, key, value, summand});
  EXPECT_TRUE(by_truth.output.equal(by_sum.output));
  EXPECT_TRUE(by_truth.logsumexp.equal(by_sum.logsumexp));
  EXPECT_TRUE(by_truth.weights.masked_select(sees.logical_not()).eq(0).all().item<bool>());
}

// Sums of small types are kept in f32: the result is that of f32, rounded once.
TEST(AttentionForms, SmallTypesAreSummedInLargerOnes) {
  const at::Tensor query = noise({1, 2, 6, 16}, 1).to(at::kBFloat16), key = noise({1, 2, 6, 16}, 2).to(at::kBFloat16);
  const AttentionResult small = attend({query, key, key});
  const AttentionResult large = attend({query.to(at::kFloat), key.to(at::kFloat), key.to(at::kFloat)});
  EXPECT_EQ(small.output.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(small.output.equal(large.output.to(at::kBFloat16)));
  EXPECT_EQ(small.logsumexp.scalar_type(), at::kFloat);
  const AttentionGradients gradients =
      attend_backward({query, key, key}, small.output, small.output, small.logsumexp, false);
  EXPECT_EQ(gradients.query.scalar_type(), at::kBFloat16);
  EXPECT_FALSE(gradients.mask.defined());
}

// The plain operator, without heads as well as with, and one that does not want what its backward pass needs.
TEST(AttentionForms, TheWholeOperatorAndWithoutWhatIsSaved) {
  const at::Tensor query = noise({5, 8}, 1), key = noise({7, 8}, 2), value = noise({7, 4}, 3);
  const Stack whole = substituted("aten::scaled_dot_product_attention",
                                  {query, key, value, c10::IValue(), 0.0, false, c10::IValue(), false});
  ASSERT_EQ(whole.size(), 1U);
  const at::Tensor expected = at::softmax(query.matmul(key.t()) / std::sqrt(8.0), -1).matmul(value);
  EXPECT_TRUE(at::allclose(whole[0].toTensor(), expected, 1e-4, 1e-6));
  const at::Tensor heads = noise({1, 2, 5, 8}, 4);
  const Stack efficient = substituted("aten::_scaled_dot_product_efficient_attention",
                                      {heads, heads, heads, c10::IValue(), false, 0.0, false, c10::IValue()});
  EXPECT_EQ(efficient[1].toTensor().sizes(), at::IntArrayRef({1, 2, 0})) << "no logsumexp";
}

// A graph of one stored tensor per form, and what uses them.
class InitialValuesTest : public ::testing::Test {
 protected:
  OpId stored(const std::string& name, Role role, DType dtype, std::vector<std::int64_t> shape) {
    return builder_.add({.name = name, .type = "stored", .role = role, .outputs = {{dtype, std::move(shape)}}});
  }
  OpId use(const std::string& type, std::vector<OutputRef> inputs, std::vector<std::int64_t> shape = {4},
           DType dtype = DType::kF32) {
    return builder_.add({.name = "use" + std::to_string(uses_++),
                         .type = type,
                         .inputs = std::move(inputs),
                         .outputs = {{dtype, std::move(shape)}}});
  }
  at::Tensor value(OpId op) {
    if (!graph_) graph_ = std::move(builder_).build().value();
    return initial_value(*graph_, op, at::kCPU);
  }
  std::int64_t bound(OpId op) {
    if (!graph_) graph_ = std::move(builder_).build().value();
    return index_bound(*graph_, *graph_->outputs(op).begin());
  }
  GraphBuilder builder_{"stored"};
  std::optional<Graph> graph_;
  int uses_ = 0;
};

TEST_F(InitialValuesTest, DependOnTheOpAlone) {
  const OpId a = stored("a", Role::kParameter, DType::kF32, {32, 32}),
             b = stored("b", Role::kParameter, DType::kF32, {32, 32});
  EXPECT_TRUE(value(a).equal(value(a)));
  EXPECT_FALSE(value(a).equal(value(b)));
  (void)at::rand({10});
  const at::Tensor before = value(a);
  graph_.reset();
  builder_ = GraphBuilder("another");
  (void)stored("other name", Role::kParameter, DType::kF32, {32, 32});
  EXPECT_TRUE(value(a).equal(before)) << "by number and shape";
}

// 20,000 draws from a fixed seed: their spread is within a few percent of what it should be.
TEST_F(InitialValuesTest, AreScaledByTheirWidth) {
  const OpId matrix = stored("matrix", Role::kParameter, DType::kF32, {50, 400}),
             kernel = stored("kernel", Role::kParameter, DType::kF32, {50, 4, 10, 10});
  const OpId input = stored("input", Role::kInput, DType::kF32, {50, 400}),
             bias = stored("bias", Role::kParameter, DType::kF32, {1000});
  const OpId row = stored("row", Role::kInput, DType::kF32, {20000});
  EXPECT_NEAR(value(matrix).std().item<double>(), 1.0 / 20.0, 0.003);
  EXPECT_NEAR(value(kernel).std().item<double>(), 1.0 / 20.0, 0.003);
  EXPECT_NEAR(value(input).std().item<double>(), 1.0, 0.05);
  EXPECT_NEAR(value(row).std().item<double>(), 1.0, 0.05);
  EXPECT_GE(value(bias).min().item<double>(), 0.5) << "a variance must not be 0";
  EXPECT_LE(value(bias).max().item<double>(), 1.5);
}

TEST_F(InitialValuesTest, HaveTheirTypeAndShape) {
  const OpId mask = stored("mask", Role::kInput, DType::kBool, {3, 5}),
             half = stored("half", Role::kParameter, DType::kBF16, {2, 2}),
             nothing = stored("nothing", Role::kInput, DType::kF32, {0, 4}),
             scalar = stored("scalar", Role::kBuffer, DType::kI64, {}),
             complex = stored("complex", Role::kParameter, DType::kC64, {4, 4}),
             tiny = stored("tiny", Role::kParameter, DType::kF8, {2});
  EXPECT_TRUE(value(mask).equal(at::ones({3, 5}, at::kBool)));
  EXPECT_EQ(value(half).scalar_type(), at::kBFloat16);
  EXPECT_EQ(value(nothing).numel(), 0);
  EXPECT_EQ(value(scalar).dim(), 0);
  EXPECT_EQ(value(complex).scalar_type(), at::kComplexFloat);
  EXPECT_THROW(value(tiny), std::runtime_error);
}

// More than a mebi of elements are repeats of the first ones, shifted against rows of any usual width.
TEST_F(InitialValuesTest, OfLargeTensorsRepeat) {
  constexpr std::int64_t kBlock = (std::int64_t{1} << 20) + 7;
  const OpId large = stored("large", Role::kParameter, DType::kF32, {1025, 1024});
  const at::Tensor flat = value(large).view({-1});
  const std::int64_t rest = flat.numel() - kBlock;
  ASSERT_GT(rest, 0);
  EXPECT_TRUE(flat.narrow(0, kBlock, rest).equal(flat.narrow(0, 0, rest)));
  EXPECT_FALSE(flat.narrow(0, 0, 1024).equal(flat.narrow(0, 1024, 1024)));
}

TEST_F(InitialValuesTest, IndicesStayBelowTheSmallestTable) {
  const OpId large = stored("large", Role::kParameter, DType::kF32, {100, 2}),
             small = stored("small", Role::kParameter, DType::kF32, {7, 2});
  const OpId both = stored("both", Role::kInput, DType::kI64, {500}),
             one = stored("one", Role::kInput, DType::kI64, {500}),
             none = stored("none", Role::kInput, DType::kI64, {500});
  use("aten.embedding.default", {{large, 0}, {both, 0}});
  use("aten.embedding.default", {{small, 0}, {both, 0}});
  use("aten.embedding.default", {{large, 0}, {one, 0}});
  use("aten.relu.default", {{none, 0}});
  EXPECT_EQ(bound(both), 7);
  EXPECT_EQ(bound(one), 100);
  EXPECT_EQ(bound(none), 2) << "nothing is looked up: 0 and 1";
  EXPECT_EQ(value(both).max().item<std::int64_t>(), 6) << "of 500 draws each is there";
  EXPECT_EQ(value(both).min().item<std::int64_t>(), 0);
  EXPECT_LT(value(one).max().item<std::int64_t>(), 100);
  EXPECT_GT(value(one).max().item<std::int64_t>(), 7);
}

// Classes of a loss are its second dimension; gather may look along any, so the smallest counts; what is looked up in
// does not bound itself.
TEST_F(InitialValuesTest, EveryOperatorLooksUpInItsOwnWay) {
  const OpId scores = stored("scores", Role::kParameter, DType::kF32, {50, 9}),
             labels = stored("labels", Role::kInput, DType::kI64, {50}),
             picked = stored("picked", Role::kInput, DType::kI64, {50, 9}),
             table = stored("table", Role::kInput, DType::kI64, {6, 11}),
             indices = stored("indices", Role::kInput, DType::kI64, {4});
  use("aten.nll_loss_forward.default", {{scores, 0}, {labels, 0}});
  use("aten.gather.default", {{scores, 0}, {picked, 0}});
  const OpId chosen = use("aten.index_select.default", {{table, 0}, {indices, 0}}, {4, 11}, DType::kI64);
  use("aten.embedding.default", {{scores, 0}, {chosen, 0}});
  EXPECT_EQ(bound(labels), 9);
  EXPECT_EQ(bound(picked), 9);
  EXPECT_EQ(bound(indices), 6);
  EXPECT_EQ(bound(table), 2) << "values that index_select chooses are not followed";
}

// Copies, conversions and sums of indices are indices.
TEST_F(InitialValuesTest, BoundsGoThroughCopies) {
  const OpId table = stored("table", Role::kParameter, DType::kF32, {13, 2}),
             indices = stored("indices", Role::kInput, DType::kI32, {4});
  const OpId copied = use("aten._to_copy.default", {{indices, 0}}, {4}, DType::kI64);
  const OpId cloned = use("aten.clone.default", {{copied, 0}}, {4}, DType::kI64);
  use("aten.embedding.default", {{table, 0}, {cloned, 0}});
  EXPECT_EQ(bound(indices), 13);
}

TEST(Dtypes, AreThoseOfLibtorch) {
  EXPECT_EQ(torch_dtype(DType::kF64), at::kDouble);
  EXPECT_EQ(torch_dtype(DType::kF32), at::kFloat);
  EXPECT_EQ(torch_dtype(DType::kF16), at::kHalf);
  EXPECT_EQ(torch_dtype(DType::kBF16), at::kBFloat16);
  EXPECT_EQ(torch_dtype(DType::kI64), at::kLong);
  EXPECT_EQ(torch_dtype(DType::kI32), at::kInt);
  EXPECT_EQ(torch_dtype(DType::kI16), at::kShort);
  EXPECT_EQ(torch_dtype(DType::kI8), at::kChar);
  EXPECT_EQ(torch_dtype(DType::kU8), at::kByte);
  EXPECT_EQ(torch_dtype(DType::kBool), at::kBool);
  EXPECT_EQ(torch_dtype(DType::kC128), at::kComplexDouble);
  EXPECT_EQ(torch_dtype(DType::kTF32), std::nullopt) << "a way to multiply, not to store";
}

}  // namespace
}  // namespace berth::exec
