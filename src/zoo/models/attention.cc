// SPDX-License-Identifier: Apache-2.0
#include "zoo/models/attention.h"

#include <cmath>

namespace berth::zoo {

Tensor split_heads(ModelBuilder& b, Tensor x, std::int64_t heads) {
  const Shape& shape = b.shape(x);
  return b.transpose(b.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Tensor merge_heads(ModelBuilder& b, Tensor x, std::int64_t heads) {
  const Shape shape = b.shape(x);
  const std::int64_t batch = shape[0] / heads;
  const Tensor apart = b.transpose(b.reshape(x, {batch, heads, shape[1], shape[2]}), {0, 2, 1, 3});
  return b.reshape(apart, {batch, shape[1], heads * shape[2]});
}

Tensor attend(ModelBuilder& b, Tensor q, Tensor k, Tensor v, Tensor mask, double dropout) {
  const auto flat = [&](Tensor x) {
    const Shape shape = b.shape(x);
    return b.reshape(x, {shape[0] * shape[1], shape[2], shape[3]});
  };
  const Tensor queries = flat(q), keys = flat(k), values = flat(v);
  const Tensor products = b.batch_matmul(queries, b.transpose_last_two(keys));
  Tensor scores = b.scale(products, 1.0 / std::sqrt(static_cast<double>(b.shape(q)[3])));
  if (mask) scores = b.add(scores, mask);
  return b.batch_matmul(b.dropout(b.softmax(scores), dropout), values);
}

Tensor layer_norm(ModelBuilder& b, std::string_view name, Tensor x) {
  const auto scope = b.scope(name);
  const std::int64_t hidden = b.shape(x)[-1];
  const Tensor weight = b.parameter("weight", {hidden});
  return b.layer_norm(x, weight, b.parameter("bias", {hidden}));
}

Tensor rms_norm(ModelBuilder& b, std::string_view name, Tensor x) {
  const auto scope = b.scope(name);
  return b.rms_norm(x, b.parameter("weight", {b.shape(x)[-1]}));
}

void predict_words(ModelBuilder& b, Tensor x, Tensor weight) {
  const Shape shape = b.shape(x);
  if (!b.training()) {
    const Tensor last = b.reshape(b.slice(x, 1, shape[1] - 1, 1), {shape[0], shape[2]});
    return b.mark_output(b.matmul(last, weight));
  }
  const Tensor logits = b.matmul(b.reshape(x, {shape[0] * shape[1], shape[2]}), weight);
  const auto root = b.root_scope();
  const auto scope = b.scope("loss");
  b.set_loss(b.cross_entropy(logits, b.input("labels", DType::kI64, {shape[0] * shape[1]})));
}

Status check_heads(std::int64_t hidden, std::int64_t heads) {
  if (hidden % heads == 0) return {};
  return bad_input("hidden={} is no multiple of heads={}", hidden, heads);
}

}  // namespace berth::zoo
