// SPDX-License-Identifier: Apache-2.0
// Every form of attention, done by what a CPU has, against products and a softmax with the gradients of autograd; and
// against the operator itself where this libtorch has it.
#include "exec/program/attention.h"
#include "exec/program/attention_forms.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <stdexcept>

namespace berth::exec {
namespace {

constexpr std::int64_t kBatch = 2, kQueryHeads = 4, kQueries = 5, kKeys = 7, kSize = 8;
const c10::optional<double> kNoScale;

struct Setting {
  std::string words;
  bool is_causal;
  c10::optional<double> scale;
  at::Tensor mask;
  std::int64_t shared_heads = kQueryHeads;
};

at::Tensor random(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::randn(sizes, at::make_generator<at::CPUGeneratorImpl>(seed));
}

std::vector<Setting> settings(bool with_masks) {
  std::vector<Setting> all{{"plain", false, kNoScale, {}},
                           {"causal", true, kNoScale, {}},
                           {"scaled", false, 0.3, {}},
                           {"causal and scaled", true, 0.3, {}},
                           {"heads that share", false, kNoScale, {}, 2}};
  if (with_masks) all.push_back({"masked", false, 0.5, random({kBatch, 1, kQueries, kKeys}, 9)});
  return all;
}

Attention attention_of(const Setting& setting) {
  // As networks make them: heads inside.
  const at::Tensor query = random({kBatch, kQueries, kQueryHeads, kSize}, 1).transpose(1, 2);
  return {query,
          random({kBatch, setting.shared_heads, kKeys, kSize}, 2),
          random({kBatch, setting.shared_heads, kKeys, kSize}, 3),
          setting.mask,
          setting.is_causal,
          setting.scale};
}

struct Expected {
  at::Tensor output, logsumexp, gradient;  // gradient: what comes from above
  std::vector<at::Tensor> gradients;       // of query, key, value, mask
};

// In double precision, so that what differs are the errors of what is tested.
Expected expected_of(const Attention& given) {
  const at::AutoGradMode with_gradients(true);
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& tensor : {given.query, given.key, given.value, given.mask}) {
    if (tensor.defined()) leaves.push_back(tensor.to(at::kDouble).detach().requires_grad_());
  }
  const std::int64_t sharing = given.query.size(1) / given.key.size(1);
  const at::Tensor key = leaves[1].repeat_interleave(sharing, 1), value = leaves[2].repeat_interleave(sharing, 1);
  const double scale = given.scale ? *given.scale : 1.0 / std::sqrt(static_cast<double>(kSize));
  at::Tensor scores = leaves[0].matmul(key.transpose(-2, -1)) * scale;
  if (given.is_causal) {
    const at::Tensor later = at::ones({kQueries, kKeys}, at::kBool).triu(1);
    scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  if (given.mask.defined()) scores = scores + leaves[3];
  const at::Tensor output = scores.softmax(-1).matmul(value);
  const at::Tensor gradient = random({kBatch, kQueryHeads, kQueries, kSize}, 4);
  return {output.detach().to(at::kFloat), scores.logsumexp(-1).detach().to(at::kFloat), gradient,
          torch::autograd::grad({output}, leaves, {gradient.to(at::kDouble)})};
}

bool is_near(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && at::allclose(a.to(at::kDouble), b.to(at::kDouble), 1e-4, 1e-5);
}

Stack run_operator(const std::string& name, Stack stack) {
  const Substitute* substitute = find_substitute("aten::" + name, "");
  EXPECT_NE(substitute, nullptr) << name;
  if (substitute != nullptr) substitute->run(stack, 1);
  return stack;
}

void expect_gradients(const Stack& found, const Expected& expected) {
  ASSERT_GE(found.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(is_near(found[i].toTensor(), expected.gradients[i])) << i;
}

c10::IValue or_none(const c10::optional<double>& scale) { return scale ? c10::IValue(*scale) : c10::IValue(); }
c10::IValue or_none(const at::Tensor& tensor) { return tensor.defined() ? c10::IValue(tensor) : c10::IValue(); }

TEST(Attention, FlashOfCpus) {
  for (const Setting& setting : settings(true)) {
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Expected expected = expected_of(a);
    const Stack found = run_operator("_scaled_dot_product_flash_attention_for_cpu",
                                     {a.query, a.key, a.value, 0.0, a.is_causal, or_none(a.mask), or_none(a.scale)});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(is_near(found[0].toTensor(), expected.output));
    EXPECT_EQ(found[0].toTensor().strides(), a.query.strides()) << "views behind it count on that";
    EXPECT_TRUE(is_near(found[1].toTensor(), expected.logsumexp));
    EXPECT_EQ(found[1].toTensor().strides(), at::IntArrayRef({kQueries * kQueryHeads, 1, kQueryHeads}));
    expect_gradients(run_operator("_scaled_dot_product_flash_attention_for_cpu_backward",
                                  {expected.gradient, a.query, a.key, a.value, found[0], found[1], 0.0, a.is_causal,
                                   or_none(a.mask), or_none(a.scale)}),
                     expected);
  }
}

TEST(Attention, FlashOfGpus) {
  for (const Setting& setting : settings(false)) {
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Expected expected = expected_of(a);
    const Stack found = run_operator("_scaled_dot_product_flash_attention",
                                     {a.query, a.key, a.value, 0.0, a.is_causal, false, or_none(a.scale)});
    ASSERT_EQ(found.size(), 9U);
    EXPECT_TRUE(is_near(found[0].toTensor(), expected.output));
    EXPECT_TRUE(is_near(found[1].toTensor(), expected.logsumexp));
    EXPECT_TRUE(found[1].toTensor().is_contiguous());
    EXPECT_FALSE(found[2].toTensor().defined());
    EXPECT_EQ(found[5].toInt(), kKeys);
    expect_gradients(
        run_operator("_scaled_dot_product_flash_attention_backward",
                     {expected.gradient, a.query, a.key, a.value, found[0], found[1], at::Tensor(), at::Tensor(),
                      kQueries, kKeys, 0.0, a.is_causal, found[6], found[7], or_none(a.scale)}),
        expected);
  }
}

TEST(Attention, EfficientOfGpus) {
  for (const Setting& setting : settings(true)) {
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Expected expected = expected_of(a);
    const Stack found =
        run_operator("_scaled_dot_product_efficient_attention",
                     {a.query, a.key, a.value, or_none(a.mask), true, 0.0, a.is_causal, or_none(a.scale)});
    ASSERT_EQ(found.size(), 4U);
    EXPECT_TRUE(is_near(found[0].toTensor(), expected.output));
    EXPECT_TRUE(found[0].toTensor().transpose(1, 2).is_contiguous()) << "heads inside";
    const at::Tensor logsumexp = found[1].toTensor();
    EXPECT_EQ(logsumexp.sizes(), at::IntArrayRef({kBatch, kQueryHeads, 32})) << "padded";
    EXPECT_TRUE(is_near(logsumexp.narrow(-1, 0, kQueries), expected.logsumexp));
    EXPECT_TRUE(logsumexp.narrow(-1, kQueries, 1).isinf().all().item<bool>());
    const Stack gradients =
        run_operator("_scaled_dot_product_efficient_attention_backward",
                     {expected.gradient, a.query, a.key, a.value, a.mask, found[0], logsumexp, found[2], found[3], 0.0,
                      c10::List<bool>({true, true, true, a.mask.defined()}), a.is_causal, or_none(a.scale)});
    expect_gradients(gradients, expected);
    if (!a.mask.defined()) continue;
    EXPECT_TRUE(is_near(gradients[3].toTensor(), expected.gradients[3]));
  }
}

TEST(Attention, OfCudnn) {
  for (const Setting& setting : settings(true)) {
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Expected expected = expected_of(a);
    const Stack found =
        run_operator("_scaled_dot_product_cudnn_attention",
                     {a.query, a.key, a.value, or_none(a.mask), true, 0.0, a.is_causal, false, or_none(a.scale)});
    ASSERT_EQ(found.size(), 9U);
    EXPECT_TRUE(is_near(found[0].toTensor(), expected.output));
    EXPECT_TRUE(is_near(found[1].toTensor(), expected.logsumexp));
    expect_gradients(run_operator("_scaled_dot_product_cudnn_attention_backward",
                                  {expected.gradient, a.query, a.key, a.value, found[0],
                                   found[1].toTensor().unsqueeze(-1), found[6], found[7], a.mask, at::Tensor(),
                                   at::Tensor(), kQueries, kKeys, 0.0, a.is_causal, or_none(a.scale)}),
                     expected);
  }
}

TEST(Attention, MathGivesTheWeightsToo) {
  for (const Setting& setting : settings(true)) {
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Stack found = run_operator("_scaled_dot_product_attention_math",
                                     {a.query, a.key, a.value, or_none(a.mask), 0.0, a.is_causal, c10::IValue(),
                                      or_none(a.scale), a.key.size(1) != a.query.size(1)});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(is_near(found[0].toTensor(), expected_of(a).output));
    EXPECT_TRUE(is_near(found[1].toTensor().sum(-1), at::ones({kBatch, kQueryHeads, kQueries})));
  }
}

TEST(Attention, AQueryThatSeesNothingGivesNothing) {
  Attention a = attention_of(settings(false).front());
  a.mask = at::ones({kQueries, kKeys}, at::kBool);
  a.mask[2].fill_(false);
  const AttentionResult result = attend(a);
  EXPECT_TRUE(result.output.select(2, 2).eq(0).all().item<bool>());
  EXPECT_TRUE(result.logsumexp.isfinite().all().item<bool>());
  const AttentionGradients gradients =
      attend_backward(a, at::ones_like(result.output), result.output, result.logsumexp, false);
  EXPECT_TRUE(gradients.query.select(2, 2).eq(0).all().item<bool>());
  EXPECT_TRUE(gradients.key.isfinite().all().item<bool>());
}

// The operator itself, and the backward pass of its own on what the substitute saved: their results may be mixed.
TEST(Attention, AgreesWithTheOperatorItself) {
  const std::string name = "_scaled_dot_product_flash_attention_for_cpu";
  const auto op = c10::Dispatcher::singleton().findSchema({"aten::" + name, ""});
  const auto backward = c10::Dispatcher::singleton().findSchema({"aten::" + name + "_backward", ""});
  if (!op || !backward) GTEST_SKIP() << "this libtorch has none";
  for (const Setting& setting : settings(true)) {
    if (setting.shared_heads != kQueryHeads) continue;
    SCOPED_TRACE(setting.words);
    const Attention a = attention_of(setting);
    const Stack arguments{a.query, a.key, a.value, 0.0, a.is_causal, or_none(a.mask), or_none(a.scale)};
    Stack direct = arguments;
    op->callBoxed(&direct);
    const AttentionResult plain = attend(a);
    const Stack mine = run_operator(name, arguments);
    EXPECT_TRUE(is_near(plain.output, direct[0].toTensor()));
    EXPECT_TRUE(is_near(plain.logsumexp, direct[1].toTensor()));
    EXPECT_EQ(mine[0].toTensor().strides(), direct[0].toTensor().strides());
    EXPECT_EQ(mine[1].toTensor().strides(), direct[1].toTensor().strides());
    const Expected expected = expected_of(a);
    Stack theirs{expected.gradient, a.query, a.key,       a.value,         mine[0],
                 mine[1],           0.0,     a.is_causal, or_none(a.mask), or_none(a.scale)};
    const Stack ours =
        run_operator(name + "_backward", {expected.gradient, a.query, a.key, a.value, direct[0], direct[1], 0.0,
                                          a.is_causal, or_none(a.mask), or_none(a.scale)});
    backward->callBoxed(&theirs);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(is_near(ours[i].toTensor(), theirs[i].toTensor())) << i;
  }
}

TEST(Attention, DropoutIsRefused) {
  const Attention a = attention_of(settings(false).front());
  try {
    run_operator("_scaled_dot_product_flash_attention", {a.query, a.key, a.value, 0.1, false, false, c10::IValue()});
    FAIL() << "its random state cannot be had";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("attention with dropout 0.1"), std::string::npos) << error.what();
  }
}

TEST(AttentionForm, IsThatOfTheDevice) {
  using enum AttentionForm;
  for (const AttentionForm of_gpu : {kFlash, kEfficient, kCudnn}) {
    EXPECT_EQ(form_to_run({.captured = of_gpu, .is_cuda = true}), of_gpu);
    EXPECT_EQ(form_to_run({.captured = of_gpu, .is_cuda = false}), kFlashOnCpu);
    EXPECT_EQ(form_to_run({.captured = of_gpu, .is_cuda = false, .has_mask = true}), kFlashOnCpu);
    EXPECT_EQ(form_to_run({.captured = of_gpu, .wants_mask_gradient = true}), std::nullopt);
    EXPECT_EQ(form_to_run({.captured = of_gpu, .is_usual = false}), std::nullopt);
  }
  EXPECT_EQ(form_to_run({.captured = kFlashOnCpu, .is_cuda = false}), kFlashOnCpu);
  EXPECT_EQ(form_to_run({.captured = kFlashOnCpu, .is_cuda = true}), kEfficient);
  EXPECT_EQ(form_to_run({.captured = kFlashOnCpu, .is_cuda = true, .has_mask = true}), std::nullopt);
  EXPECT_EQ(form_to_run({.captured = kFlashOnCpu, .is_cuda = true, .is_aligned = false}), std::nullopt);
  EXPECT_EQ(form_to_run({.captured = kMath, .is_cuda = true}), std::nullopt);
}

TEST(AttentionForm, AnOperatorIsCalledItselfOnItsOwnDevice) {
  for (const Substitute& one : attention_substitutes()) {
    const bool is_of_cpu = one.name.find("for_cpu") != std::string_view::npos;
    if (one.itself == Itself::kNowhere || one.itself == Itself::kAnywhere) continue;
    EXPECT_EQ(calls_itself(one.itself, false), is_of_cpu) << one.name;
    EXPECT_EQ(calls_itself(one.itself, true), !is_of_cpu) << one.name;
  }
}

}  // namespace
}  // namespace berth::exec
