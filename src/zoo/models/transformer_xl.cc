// SPDX-License-Identifier: Apache-2.0
// Transformer-XL (Dai et al., 2019): relative positions, and a memory of the last segment's hidden states that gets no
// gradient. The defaults are its character-level base model (12 layers, 41 M parameters).
#include <fmt/format.h>

#include <cmath>

#include "zoo/models/attention.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

struct TransformerXlSizes {
  std::int64_t batch, seq, memory, hidden, heads, ffn;
  double dropout;
  [[nodiscard]] std::int64_t keys() const { return seq + memory; }
  [[nodiscard]] std::int64_t head() const { return hidden / heads; }
};

// What all layers share.
struct Shared {
  Tensor positions;                    // [keys, hidden]
  Tensor content_bias, position_bias;  // [hidden]
  Tensor mask;                         // [seq, keys]
};

// [batch, length, hidden] as [heads * batch, length, head]: heads first, so that one product serves the whole batch.
Tensor heads_first(ModelBuilder& b, Tensor x, const TransformerXlSizes& sizes) {
  const std::int64_t length = b.shape(x)[1];
  const Tensor apart = b.transpose(b.reshape(x, {sizes.batch, length, sizes.heads, sizes.head()}), {2, 0, 1, 3});
  return b.reshape(apart, {sizes.heads * sizes.batch, length, sizes.head()});
}

// Moves row i of the last two axes left by seq - 1 - i, by padding a column and reading the block with another width.
Tensor relative_shift(ModelBuilder& b, Tensor scores, const TransformerXlSizes& sizes) {
  const std::int64_t groups = b.shape(scores)[0];
  const Tensor zero = b.zeros({b.dtype(), {groups, sizes.seq, 1}});
  const Tensor padded = b.reshape(b.concat({zero, scores}, 2), {groups, sizes.keys() + 1, sizes.seq});
  return b.reshape(b.slice(padded, 1, 1, sizes.keys()), {groups, sizes.seq, sizes.keys()});
}

Tensor relative_attention(ModelBuilder& b, Tensor x, const TransformerXlSizes& sizes, const Shared& shared) {
  const auto scope = b.scope("attention");
  const Tensor seen =
      sizes.memory > 0 ? b.concat({b.buffer("memory", {sizes.batch, sizes.memory, sizes.hidden}), x}, 1) : x;
  const Tensor q = b.linear("q", x, sizes.hidden, false);
  const std::vector<Tensor> kv = b.split(b.linear("kv", seen, 2 * sizes.hidden, false), 2, 2);
  const Tensor r = b.linear("r", shared.positions, sizes.hidden, false);
  const Tensor k = heads_first(b, kv[0], sizes), v = heads_first(b, kv[1], sizes);

  const Tensor queries = heads_first(b, b.bias_add(q, shared.content_bias), sizes);
  const Tensor by_content = b.batch_matmul(queries, b.transpose_last_two(k));
  const Tensor rows = b.reshape(heads_first(b, b.bias_add(q, shared.position_bias), sizes),
                                {sizes.heads, sizes.batch * sizes.seq, sizes.head()});
  const Tensor distances = b.transpose(b.reshape(r, {sizes.keys(), sizes.heads, sizes.head()}), {1, 2, 0});
  const Tensor by_position = relative_shift(
      b, b.reshape(b.batch_matmul(rows, distances), {sizes.heads * sizes.batch, sizes.seq, sizes.keys()}), sizes);

  const Tensor scores = b.scale(b.add(by_content, by_position), 1.0 / std::sqrt(static_cast<double>(sizes.head())));
  const Tensor weights = b.dropout(b.softmax(b.add(scores, shared.mask)), sizes.dropout);
  const Tensor mixed = b.reshape(b.batch_matmul(weights, v), {sizes.heads, sizes.batch, sizes.seq, sizes.head()});
  const Tensor merged = b.reshape(b.transpose(mixed, {1, 2, 0, 3}), {sizes.batch, sizes.seq, sizes.hidden});
  const Tensor out = b.dropout(b.linear("out", merged, sizes.hidden, false), sizes.dropout);
  return layer_norm(b, "norm", b.add(out, x));
}

Tensor feed_forward(ModelBuilder& b, Tensor x, const TransformerXlSizes& sizes) {
  const auto scope = b.scope("mlp");
  const Tensor wide = b.dropout(b.relu(b.linear("up", x, sizes.ffn)), sizes.dropout);
  return layer_norm(b, "norm", b.add(b.dropout(b.linear("down", wide, sizes.hidden), sizes.dropout), x));
}

Status build_transformer_xl(ModelBuilder& b, const Settings& settings) {
  const TransformerXlSizes sizes{settings.number("batch"),
                                 settings.number("seq"),
                                 settings.number("memory"),
                                 settings.number("hidden"),
                                 settings.number("heads"),
                                 settings.number("ffn"),
                                 static_cast<double>(settings.number("dropout")) / 100.0};
  BERTH_RETURN_IF_ERROR(check_heads(sizes.hidden, sizes.heads));
  Tensor words, x;
  Shared shared;
  {
    const auto scope = b.scope("embedding");
    words = b.parameter("words", {settings.number("vocab"), sizes.hidden});
    x = b.dropout(b.embedding(words, b.input("ids", DType::kI64, {sizes.batch, sizes.seq})), sizes.dropout);
    shared.positions = b.constant("positions", {sizes.keys(), sizes.hidden});
    shared.content_bias = b.parameter("content_bias", {sizes.hidden});
    shared.position_bias = b.parameter("position_bias", {sizes.hidden});
    shared.mask = b.constant("causal_mask", {sizes.seq, sizes.keys()});
  }
  for (std::int64_t k = 0; k < settings.number("layers"); ++k) {
    const auto scope = b.scope(fmt::format("layer.{}", k));
    if (sizes.memory > 0) b.mark_output(b.contiguous(x));  // the next segment's memory
    x = feed_forward(b, relative_attention(b, x, sizes, shared), sizes);
  }
  const auto scope = b.scope("head");
  predict_words(b, x, b.transpose_last_two(words));
  return {};
}

double estimate_transformer_xl(const Settings& settings) {
  return static_cast<double>(settings.number("layers") + 2) * (settings.training() ? 190.0 : 80.0);
}

}  // namespace

std::vector<Model> transformer_xl_models() {
  return {{"transformer-xl", "Transformer-XL with segment memory",
           with_common(
               {
                   whole_number("batch", 16, 1, 65536, "sequences per step"),
                   whole_number("seq", 512, 1, 1'000'000, "tokens of a segment"),
                   whole_number("memory", 512, 0, 1'000'000, "tokens remembered from the segment before"),
                   whole_number("hidden", 512, 1, 1'000'000, "width"),
                   whole_number("layers", 12, 1, 20'000, "transformer layers"),
                   whole_number("heads", 8, 1, 4096, "attention heads"),
                   whole_number("ffn", 2048, 1, 4'000'000, "inner width of the feed-forward part"),
                   whole_number("vocab", 204, 2, 10'000'000, "tokens known"),
                   whole_number("dropout", 10, 0, 99, "dropout in training, percent"),
               },
               {.optimizer = "adam"}),
           estimate_transformer_xl, build_transformer_xl}};
}

}  // namespace berth::zoo
