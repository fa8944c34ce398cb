// SPDX-License-Identifier: Apache-2.0
#include "zoo/gradient_rules.h"

#include <array>

namespace berth {
namespace {

using Rule = void (*)(OpGradient&);

// The gradient itself, or its sum over what broadcasting repeated.
Tensor sum_to(ModelBuilder& b, Tensor gradient, const Shape& shape) {
  return b.shape(gradient) == shape ? gradient : b.reduce_sum(gradient, shape);
}

void pass_through(OpGradient& op) { op.give(0, op.grad()); }

// --- views and joins

void reshape_rule(OpGradient& op) { op.give(0, op.b.reshape(op.grad(), op.b.shape(op.in(0)))); }

void transpose_rule(OpGradient& op) {
  const auto& p = op.attributes().permutation;
  std::array<int, Shape::kMaxDims> inverse{};
  for (int i = 0; i < op.b.shape(op.in(0)).rank(); ++i)
    inverse[static_cast<std::size_t>(p[static_cast<std::size_t>(i)])] = i;
  switch (op.b.shape(op.in(0)).rank()) {
    case 2:
      return op.give(0, op.b.transpose(op.grad(), {inverse[0], inverse[1]}));
    case 3:
      return op.give(0, op.b.transpose(op.grad(), {inverse[0], inverse[1], inverse[2]}));
    default:
      return op.give(0, op.b.transpose(op.grad(), {inverse[0], inverse[1], inverse[2], inverse[3]}));
  }
}

// Gradients of all outputs, zeros where the loss does not depend on one.
std::vector<Tensor> all_output_grads(OpGradient& op) {
  std::vector<Tensor> grads;
  for (std::size_t i = 0; i < op.num_outputs(); ++i) {
    grads.push_back(op.grad(i) ? op.grad(i) : op.b.zeros(op.b.type(op.out(i))));
  }
  return grads;
}

void split_rule(OpGradient& op) { op.give(0, op.b.concat(all_output_grads(op), op.attributes().axis)); }
void unstack_rule(OpGradient& op) { op.give(0, op.b.stack(all_output_grads(op))); }
void slice_rule(OpGradient& op) { op.give(0, op.b.slice_grad(op.grad(), op.b.type(op.in(0)))); }

void concat_rule(OpGradient& op) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < op.num_inputs(); ++i) sizes.push_back(op.b.shape(op.in(i))[op.attributes().axis]);
  const std::vector<Tensor> parts = op.b.split(op.grad(), op.attributes().axis, sizes);
  for (std::size_t i = 0; i < parts.size(); ++i) op.give(i, parts[i]);
}

void stack_rule(OpGradient& op) {
  const std::vector<Tensor> parts = op.b.unstack(op.grad());
  for (std::size_t i = 0; i < parts.size(); ++i) op.give(i, parts[i]);
}

// --- products

void matmul_rule(OpGradient& op) {
  const auto product = [&](Tensor a, Tensor b) {
    return op.kind() == OpKind::kMatmul ? op.b.matmul(a, b) : op.b.batch_matmul(a, b);
  };
  if (op.needs(0)) op.give(0, product(op.grad(), op.b.transpose_last_two(op.in(1))));
  if (op.needs(1)) op.give(1, product(op.b.transpose_last_two(op.in(0)), op.grad()));
}

void conv2d_rule(OpGradient& op) {
  if (op.needs(0)) op.give(0, op.b.conv2d_grad_input(op.grad(), op.in(1), op.b.type(op.in(0))));
  if (op.needs(1)) op.give(1, op.b.conv2d_grad_weight(op.grad(), op.in(0), op.b.type(op.in(1))));
}

void conv1d_rule(OpGradient& op) {
  if (op.needs(0)) op.give(0, op.b.conv1d_grad_input(op.grad(), op.in(1), op.b.type(op.in(0))));
  if (op.needs(1)) op.give(1, op.b.conv1d_grad_weight(op.grad(), op.in(0), op.b.type(op.in(1))));
}

void max_pool_rule(OpGradient& op) {
  op.give(0, op.b.op(OpKind::kMaxPoolGrad, {op.grad(), op.out(1)}, op.b.type(op.in(0))));
}

void avg_pool_rule(OpGradient& op) { op.give(0, op.b.op(OpKind::kAvgPoolGrad, {op.grad()}, op.b.type(op.in(0)))); }

// --- element by element

void add_rule(OpGradient& op) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (op.needs(i)) op.give(i, sum_to(op.b, op.grad(), op.b.shape(op.in(i))));
  }
}

void mul_rule(OpGradient& op) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (op.needs(i)) op.give(i, sum_to(op.b, op.b.mul(op.grad(), op.in(1 - i)), op.b.shape(op.in(i))));
  }
}

void scale_rule(OpGradient& op) { op.give(0, op.b.scale(op.grad(), op.attributes().factor)); }
void neg_rule(OpGradient& op) { op.give(0, op.b.neg(op.grad())); }

void bias_add_rule(OpGradient& op) {
  op.give(0, op.grad());
  if (op.needs(1)) op.give(1, op.b.op(OpKind::kReduceSum, {op.grad()}, op.b.type(op.in(1))));
}

void select_rule(OpGradient& op) {
  const Tensor first = op.b.op(OpKind::kSelectGrad, {op.grad(), op.in(0)}, {op.b.type(op.in(1)), op.b.type(op.in(2))});
  for (std::uint32_t i = 0; i < 2; ++i) op.give(i + 1, output(first, i));
}

// The gradient's kind follows its op's in the table. These read their output ...
void from_output(OpGradient& op) {
  const auto kind = static_cast<OpKind>(static_cast<int>(op.kind()) + 1);
  op.give(0, op.b.elementwise_grad(kind, op.grad(), op.out()));
}

// ... and these their input.
void from_input(OpGradient& op) {
  const auto kind = static_cast<OpKind>(static_cast<int>(op.kind()) + 1);
  op.give(0, op.b.elementwise_grad(kind, op.grad(), op.in(0)));
}

void dropout_rule(OpGradient& op) { op.give(0, op.b.elementwise_grad(OpKind::kDropoutGrad, op.grad(), op.out(1))); }

// --- rows

void nll_loss_rule(OpGradient& op) {
  op.give(0, op.b.op(OpKind::kNllLossGrad, {op.grad(), op.in(1)}, op.b.type(op.in(0))));
}

void layer_norm_rule(OpGradient& op) {
  const Tensor first = op.b.op(OpKind::kLayerNormGrad, {op.grad(), op.in(0), op.out(1), op.out(2), op.in(1)},
                               {op.b.type(op.in(0)), op.b.type(op.in(1)), op.b.type(op.in(2))});
  for (std::uint32_t i = 0; i < 3; ++i) op.give(i, output(first, i));
}

void rms_norm_rule(OpGradient& op) {
  const Tensor first = op.b.op(OpKind::kRmsNormGrad, {op.grad(), op.in(0), op.out(1), op.in(1)},
                               {op.b.type(op.in(0)), op.b.type(op.in(1))});
  for (std::uint32_t i = 0; i < 2; ++i) op.give(i, output(first, i));
}

void batch_norm_rule(OpGradient& op) {
  const Tensor first = op.b.op(OpKind::kBatchNormGrad, {op.grad(), op.in(0), op.out(1), op.out(2), op.in(1)},
                               {op.b.type(op.in(0)), op.b.type(op.in(1)), op.b.type(op.in(2))});
  for (std::uint32_t i = 0; i < 3; ++i) op.give(i, output(first, i));
}

void reduce_sum_rule(OpGradient& op) { op.give(0, op.b.broadcast(op.grad(), op.b.shape(op.in(0)))); }

void reduce_mean_rule(OpGradient& op) {
  const double share =
      static_cast<double>(op.b.shape(op.out()).elements()) / static_cast<double>(op.b.shape(op.in(0)).elements());
  op.give(0, op.b.broadcast(op.grad(), op.b.shape(op.in(0)), share));
}

void broadcast_rule(OpGradient& op) { op.give(0, sum_to(op.b, op.grad(), op.b.shape(op.in(0)))); }

void embedding_rule(OpGradient& op) { op.give(0, op.b.embedding_grad(op.grad(), op.in(1), op.b.type(op.in(0)))); }

void topk_rule(OpGradient& op) { op.give(0, op.b.op(OpKind::kTopkGrad, {op.grad(), op.out(1)}, op.b.type(op.in(0)))); }

void moe_dispatch_rule(OpGradient& op) {
  op.give(0, op.b.op(OpKind::kMoeDispatchGrad, {op.grad(), op.in(1)}, op.b.type(op.in(0))));
}

void moe_combine_rule(OpGradient& op) {
  const Tensor first = op.b.op(OpKind::kMoeCombineGrad, {op.grad(), op.in(0), op.in(1), op.in(2)},
                               {op.b.type(op.in(0)), op.b.type(op.in(1))});
  for (std::uint32_t i = 0; i < 2; ++i) op.give(i, output(first, i));
}

struct RuleRow {
  OpKind kind;
  Rule rule;
};

constexpr std::array kRules{
    RuleRow{OpKind::kReshape, reshape_rule},
    RuleRow{OpKind::kTranspose, transpose_rule},
    RuleRow{OpKind::kSplit, split_rule},
    RuleRow{OpKind::kUnstack, unstack_rule},
    RuleRow{OpKind::kSlice, slice_rule},
    RuleRow{OpKind::kMatmul, matmul_rule},
    RuleRow{OpKind::kBatchMatmul, matmul_rule},
    RuleRow{OpKind::kConv2d, conv2d_rule},
    RuleRow{OpKind::kConv1d, conv1d_rule},
    RuleRow{OpKind::kAdd, add_rule},
    RuleRow{OpKind::kMul, mul_rule},
    RuleRow{OpKind::kScale, scale_rule},
    RuleRow{OpKind::kNeg, neg_rule},
    RuleRow{OpKind::kBiasAdd, bias_add_rule},
    RuleRow{OpKind::kSelect, select_rule},
    RuleRow{OpKind::kSigmoid, from_output},
    RuleRow{OpKind::kTanh, from_output},
    RuleRow{OpKind::kRelu, from_output},
    RuleRow{OpKind::kGelu, from_input},
    RuleRow{OpKind::kSilu, from_input},
    RuleRow{OpKind::kSoftmax, from_output},
    RuleRow{OpKind::kLogSoftmax, from_output},
    RuleRow{OpKind::kNllLoss, nll_loss_rule},
    RuleRow{OpKind::kLayerNorm, layer_norm_rule},
    RuleRow{OpKind::kRmsNorm, rms_norm_rule},
    RuleRow{OpKind::kBatchNorm, batch_norm_rule},
    RuleRow{OpKind::kMaxPool, max_pool_rule},
    RuleRow{OpKind::kAvgPool, avg_pool_rule},
    RuleRow{OpKind::kReduceSum, reduce_sum_rule},
    RuleRow{OpKind::kReduceMean, reduce_mean_rule},
    RuleRow{OpKind::kBroadcast, broadcast_rule},
    RuleRow{OpKind::kEmbedding, embedding_rule},
    RuleRow{OpKind::kConcat, concat_rule},
    RuleRow{OpKind::kStack, stack_rule},
    RuleRow{OpKind::kContiguous, pass_through},
    RuleRow{OpKind::kDropout, dropout_rule},
    RuleRow{OpKind::kTopk, topk_rule},
    RuleRow{OpKind::kMoeDispatch, moe_dispatch_rule},
    RuleRow{OpKind::kMoeCombine, moe_combine_rule},
};

constexpr std::array<Rule, kOpKinds> rules_by_kind() {
  std::array<Rule, kOpKinds> rules{};
  for (const RuleRow& row : kRules) rules[static_cast<std::size_t>(row.kind)] = row.rule;
  return rules;
}

constexpr std::array<Rule, kOpKinds> kRuleOf = rules_by_kind();

}  // namespace

bool has_gradient_rule(OpKind kind) { return kRuleOf[static_cast<std::size_t>(kind)] != nullptr; }

void apply_gradient_rule(OpGradient& op) {
  BERTH_CHECK(has_gradient_rule(op.kind()));
  kRuleOf[static_cast<std::size_t>(op.kind())](op);
}

}  // namespace berth
