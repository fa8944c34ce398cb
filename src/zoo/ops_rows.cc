// SPDX-License-Identifier: Apache-2.0
// Ops over rows: losses, norms, tables, mixtures of experts.
#include "zoo/model_builder.h"

namespace berth {
namespace {

Shape all_but_last(const Shape& shape) {
  Shape rows;
  for (int i = 0; i + 1 < shape.rank(); ++i) rows.push_back(shape[i]);
  return rows;
}

}  // namespace

Tensor ModelBuilder::nll_loss(Tensor log_probabilities, Tensor labels) {
  BERTH_CHECK(shape(log_probabilities).rank() == 2 && shape(labels) == Shape{shape(log_probabilities)[0]});
  const TensorType losses{dtype(log_probabilities), shape(labels)};
  const std::array inputs{log_probabilities, labels};
  return emit({.kind = OpKind::kNllLoss,
               .inputs = inputs,
               .outputs = {&losses, 1},
               .bytes_touched = bytes(labels) + 2 * bytes(losses)});  // one value of each row
}

Tensor ModelBuilder::cross_entropy(Tensor logits, Tensor labels) {
  return reduce_mean(nll_loss(log_softmax(logits), labels), {});
}

Tensor ModelBuilder::layer_norm(Tensor x, Tensor weight, Tensor bias) {
  if (!training()) return op(OpKind::kLayerNorm, {x, weight, bias}, type(x));
  const TensorType statistic{DType::kF32, all_but_last(shape(x))};
  return op(OpKind::kLayerNorm, {x, weight, bias}, {type(x), statistic, statistic});  // and mean, 1 / deviation
}

Tensor ModelBuilder::rms_norm(Tensor x, Tensor weight) {
  if (!training()) return op(OpKind::kRmsNorm, {x, weight}, type(x));
  return op(OpKind::kRmsNorm, {x, weight}, {type(x), {DType::kF32, all_but_last(shape(x))}});
}

Tensor ModelBuilder::batch_norm(Tensor x, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var) {
  if (!training()) return op(OpKind::kBatchNorm, {x, weight, bias, running_mean, running_var}, type(x));
  const TensorType statistic{DType::kF32, {shape(x)[1]}};
  return op(OpKind::kBatchNorm, {x, weight, bias, running_mean, running_var}, {type(x), statistic, statistic});
}

Tensor ModelBuilder::argmax(Tensor x) { return op(OpKind::kArgmax, {x}, {DType::kI64, all_but_last(shape(x))}); }

Tensor ModelBuilder::embedding(Tensor table, Tensor ids) {
  TensorType rows{dtype(table), shape(ids)};
  rows.shape.push_back(shape(table)[1]);
  const std::array inputs{table, ids};
  return emit({.kind = OpKind::kEmbedding,
               .inputs = inputs,
               .outputs = {&rows, 1},
               .bytes_touched = bytes(ids) + 2 * bytes(rows)});  // the rows that are used, not the table
}

Tensor ModelBuilder::embedding_grad(Tensor gradient, Tensor ids, const TensorType& table) {
  const std::array inputs{gradient, ids};
  // Clears the dense gradient, then adds every row to its place.
  return emit({.kind = OpKind::kEmbeddingGrad,
               .inputs = inputs,
               .outputs = {&table, 1},
               .bytes_touched = bytes(table) + bytes(ids) + 3 * bytes(gradient)});
}

ModelBuilder::Gates ModelBuilder::topk(Tensor probabilities, std::int64_t k) {
  const Shape chosen = shape(probabilities).with(-1, k);
  const Tensor weights = op(OpKind::kTopk, {probabilities}, {{dtype(probabilities), chosen}, {DType::kI32, chosen}});
  return {weights, output(weights, 1)};
}

Tensor ModelBuilder::moe_dispatch(Tensor tokens, Tensor experts, std::int64_t num_experts, std::int64_t capacity) {
  const TensorType rows{dtype(tokens), {num_experts, capacity, shape(tokens)[1]}};
  const std::array inputs{tokens, experts};
  return emit({.kind = OpKind::kMoeDispatch,
               .inputs = inputs,
               .outputs = {&rows, 1},
               .bytes_touched = bytes(experts) + 2 * bytes(rows)});
}

Tensor ModelBuilder::moe_combine(Tensor expert_outputs, const Gates& gates) {
  return op(OpKind::kMoeCombine, {expert_outputs, gates.weights, gates.experts},
            {dtype(expert_outputs), {shape(gates.weights)[0], shape(expert_outputs)[2]}});
}

}  // namespace berth
