// SPDX-License-Identifier: Apache-2.0
#include "zoo/models/lstm.h"

#include <fmt/format.h>

namespace berth::zoo {
namespace {

constexpr std::array kGates{'i', 'f', 'g', 'o'};

}  // namespace

LstmLayer::LstmLayer(ModelBuilder& builder, std::int64_t inputs, std::int64_t hidden, GateGrain grain) : grain_(grain) {
  if (grain == GateGrain::kJoined) {
    weight_ih_ = {builder.parameter("weight_ih", {inputs, 4 * hidden})};
    weight_hh_ = {builder.parameter("weight_hh", {hidden, 4 * hidden})};
    bias_ = {builder.parameter("bias", {4 * hidden})};
    return;
  }
  for (const char gate : kGates) {
    weight_ih_.push_back(builder.parameter(fmt::format("weight_ih_{}", gate), {inputs, hidden}));
    weight_hh_.push_back(builder.parameter(fmt::format("weight_hh_{}", gate), {hidden, hidden}));
    bias_.push_back(builder.parameter(fmt::format("bias_{}", gate), {hidden}));
  }
}

std::array<Tensor, 4> LstmLayer::gate_sums(ModelBuilder& builder, Tensor x, Tensor h) const {
  const auto sum = [&](std::size_t i) {
    const Tensor from_input = builder.bias_add(builder.matmul(x, weight_ih_[i]), bias_[i]);
    return builder.add(from_input, builder.matmul(h, weight_hh_[i]));
  };
  if (grain_ == GateGrain::kSplit) {
    std::array<Tensor, 4> sums;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum(i);
    return sums;
  }
  const std::vector<Tensor> parts = builder.split(sum(0), 1, 4);
  return {parts[0], parts[1], parts[2], parts[3]};
}

LstmState LstmLayer::step(ModelBuilder& builder, Tensor x, const LstmState& before) const {
  const auto [input_sum, forget_sum, cell_sum, output_sum] = gate_sums(builder, x, before.h);
  const Tensor input_gate = builder.sigmoid(input_sum);
  const Tensor forget_gate = builder.sigmoid(forget_sum);
  const Tensor candidate = builder.tanh(cell_sum);
  const Tensor output_gate = builder.sigmoid(output_sum);
  const Tensor kept = builder.mul(forget_gate, before.c);
  const Tensor c = builder.add(kept, builder.mul(input_gate, candidate));
  return {c, builder.mul(output_gate, builder.tanh(c))};
}

StepSoftmax::StepSoftmax(ModelBuilder& builder, std::int64_t steps, std::int64_t batch, std::int64_t hidden,
                         std::int64_t vocab)
    : batch_(batch) {
  const auto scope = builder.scope("softmax");
  weight_ = builder.parameter("weight", {hidden, vocab});
  bias_ = builder.parameter("bias", {vocab});
  if (!builder.training()) return;
  labels_ = builder.unstack(builder.input("labels", DType::kI64, {steps, batch}));
  label_weights_ = builder.unstack(builder.input("label_weights", builder.dtype(), {steps, batch}));
}

void StepSoftmax::step(ModelBuilder& builder, std::size_t t, Tensor hidden) {
  const auto outer = builder.scope("softmax");
  const auto inner = builder.scope(fmt::format("t{}", t));
  const Tensor logits = builder.bias_add(builder.matmul(hidden, weight_), bias_);
  if (!builder.training()) return builder.mark_output(builder.argmax(logits));
  const Tensor losses = builder.nll_loss(builder.log_softmax(logits), labels_[t]);
  losses_.push_back(builder.reduce_sum(builder.mul(losses, label_weights_[t]), {}));
}

void StepSoftmax::finish(ModelBuilder& builder) {
  if (!builder.training()) return;
  const auto scope = builder.scope("loss");
  Tensor total = losses_[0];
  for (std::size_t t = 1; t < losses_.size(); ++t) total = builder.add(total, losses_[t]);
  builder.set_loss(builder.scale(total, 1.0 / static_cast<double>(batch_)));
}

std::vector<Tensor> embedded_steps(ModelBuilder& builder, std::string_view name, std::int64_t steps, std::int64_t batch,
                                   std::int64_t vocab, std::int64_t hidden) {
  const Tensor ids = builder.input(name, DType::kI64, {steps, batch});
  return builder.unstack(builder.embedding(builder.parameter("weight", {vocab, hidden}), ids));
}

}  // namespace berth::zoo
