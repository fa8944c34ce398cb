// SPDX-License-Identifier: Apache-2.0
// BERT-base (Devlin et al., 2019): training predicts masked words (15 % of the positions) and whether the second
// sentence follows; inference gives the last hidden states and the pooled first one.
#include <fmt/format.h>

#include <algorithm>

#include "zoo/models/attention.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

struct BertSizes {
  std::int64_t batch, seq, hidden, heads, ffn, vocab;
  double dropout;
};

Tensor bert_block(ModelBuilder& b, Tensor x, const BertSizes& sizes, Tensor mask) {
  {
    const auto scope = b.scope("attention");
    const auto heads_of = [&](std::string_view name) {
      return split_heads(b, b.linear(name, x, sizes.hidden), sizes.heads);
    };
    const Tensor q = heads_of("query"), k = heads_of("key"), v = heads_of("value");
    const Tensor mixed = merge_heads(b, attend(b, q, k, v, mask, sizes.dropout), sizes.heads);
    x = layer_norm(b, "norm", b.add(b.dropout(b.linear("out", mixed, sizes.hidden), sizes.dropout), x));
  }
  const auto scope = b.scope("mlp");
  const Tensor wide = b.gelu(b.linear("up", x, sizes.ffn));
  return layer_norm(b, "norm", b.add(b.dropout(b.linear("down", wide, sizes.hidden), sizes.dropout), x));
}

Tensor embed(ModelBuilder& b, const BertSizes& sizes, Tensor words, std::int64_t context) {
  const auto ids = [&](std::string_view name) { return b.input(name, DType::kI64, {sizes.batch, sizes.seq}); };
  const Tensor positions = b.parameter("positions", {context, sizes.hidden});
  const Tensor sentences = b.parameter("sentences", {2, sizes.hidden});
  Tensor x = b.embedding(words, ids("ids"));
  x = b.add(x, b.embedding(sentences, ids("sentence_ids")));
  x = b.add(x, b.slice(positions, 0, 0, sizes.seq));
  return b.dropout(layer_norm(b, "norm", x), sizes.dropout);
}

// Loss of the masked words; the word table serves again as the output projection.
Tensor masked_words_loss(ModelBuilder& b, Tensor x, Tensor words, const BertSizes& sizes) {
  const std::int64_t masked = sizes.batch * std::max<std::int64_t>(1, sizes.seq * 15 / 100);
  const auto scope = b.scope("head.words");
  const Tensor rows = b.reshape(x, {sizes.batch * sizes.seq, sizes.hidden});
  const Tensor chosen = b.embedding(rows, b.input("masked_positions", DType::kI64, {masked}));
  const Tensor features = layer_norm(b, "norm", b.gelu(b.linear("dense", chosen, sizes.hidden)));
  const Tensor products = b.matmul(features, b.transpose_last_two(words));
  const Tensor logits = b.bias_add(products, b.parameter("bias", {sizes.vocab}));
  return b.cross_entropy(logits, b.input("labels", DType::kI64, {masked}));
}

Tensor pool(ModelBuilder& b, Tensor x, const BertSizes& sizes) {
  const auto scope = b.scope("pooler");
  const Tensor first = b.reshape(b.slice(x, 1, 0, 1), {sizes.batch, sizes.hidden});
  return b.tanh(b.linear("dense", first, sizes.hidden));
}

Status build_bert(ModelBuilder& b, const Settings& settings) {
  const BertSizes sizes{settings.number("batch"),
                        settings.number("seq"),
                        settings.number("hidden"),
                        settings.number("heads"),
                        settings.number("ffn"),
                        settings.number("vocab"),
                        static_cast<double>(settings.number("dropout")) / 100.0};
  BERTH_RETURN_IF_ERROR(check_heads(sizes.hidden, sizes.heads));
  if (sizes.seq > settings.number("context")) {
    return bad_input("seq={} is longer than context={}", sizes.seq, settings.number("context"));
  }
  Tensor words, x, mask;
  {
    const auto scope = b.scope("embedding");
    words = b.parameter("words", {sizes.vocab, sizes.hidden});
    x = embed(b, sizes, words, settings.number("context"));
    mask = b.constant("mask", {sizes.seq, sizes.seq});
  }
  for (std::int64_t k = 0; k < settings.number("layers"); ++k) {
    const auto scope = b.scope(fmt::format("encoder.layer.{}", k));
    x = bert_block(b, x, sizes, mask);
  }
  const Tensor pooled = pool(b, x, sizes);
  if (!b.training()) return b.mark_output(x), b.mark_output(pooled), Status();
  const Tensor word_loss = masked_words_loss(b, x, words, sizes);
  const auto scope = b.scope("head.next");
  const Tensor follows = b.linear("dense", pooled, 2);
  b.set_loss(b.add(word_loss, b.cross_entropy(follows, b.input("labels", DType::kI64, {sizes.batch}))));
  return {};
}

double estimate_bert(const Settings& settings) {
  return static_cast<double>(settings.number("layers") + 2) * (settings.training() ? 170.0 : 65.0);
}

}  // namespace

std::vector<Model> bert_models() {
  return {{"bert-base", "BERT encoder of 110 M parameters",
           with_common(
               {
                   whole_number("batch", 32, 1, 65536, "sequences per step"),
                   whole_number("seq", 128, 2, 1'000'000, "tokens of a sequence"),
                   whole_number("context", 512, 2, 1'000'000, "learned positions"),
                   whole_number("hidden", 768, 1, 1'000'000, "width"),
                   whole_number("layers", 12, 1, 20'000, "transformer layers"),
                   whole_number("heads", 12, 1, 4096, "attention heads"),
                   whole_number("ffn", 3072, 1, 4'000'000, "inner width of the feed-forward part"),
                   whole_number("vocab", 30'522, 2, 10'000'000, "word pieces"),
                   whole_number("dropout", 10, 0, 99, "dropout in training, percent"),
               },
               {.optimizer = "adam"}),
           estimate_bert, build_bert}};
}

}  // namespace berth::zoo
