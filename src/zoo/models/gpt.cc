// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford et al., 2019) and GPT-3 175B (Brown et al., 2020): decoders with learned positions, norms before the
// blocks, and the word table used again at the end.
#include <fmt/format.h>

#include "zoo/models/attention.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

Tensor gpt_block(ModelBuilder& b, Tensor x, std::int64_t heads, Tensor mask, double dropout) {
  const std::int64_t hidden = b.shape(x)[2];
  {
    const auto scope = b.scope("attention");
    const Tensor joined = b.linear("qkv", layer_norm(b, "norm", x), 3 * hidden);
    const std::vector<Tensor> parts = b.split(joined, 2, 3);
    const Tensor q = split_heads(b, parts[0], heads);
    const Tensor k = split_heads(b, parts[1], heads);
    const Tensor mixed = attend(b, q, k, split_heads(b, parts[2], heads), mask, dropout);
    x = b.add(b.dropout(b.linear("out", merge_heads(b, mixed, heads), hidden), dropout), x);
  }
  const auto scope = b.scope("mlp");
  const Tensor wide = b.gelu(b.linear("up", layer_norm(b, "norm", x), 4 * hidden));
  return b.add(b.dropout(b.linear("down", wide, hidden), dropout), x);
}

Status build_gpt(ModelBuilder& b, const Settings& settings) {
  const std::int64_t batch = settings.number("batch"), seq = settings.number("seq");
  const std::int64_t hidden = settings.number("hidden"), heads = settings.number("heads");
  const double dropout = static_cast<double>(settings.number("dropout")) / 100.0;
  BERTH_RETURN_IF_ERROR(check_heads(hidden, heads));
  if (seq > settings.number("context")) {
    return bad_input("seq={} is longer than context={}", seq, settings.number("context"));
  }
  Tensor words, x, mask;
  {
    const auto scope = b.scope("embedding");
    words = b.parameter("words", {settings.number("vocab"), hidden});
    const Tensor positions = b.parameter("positions", {settings.number("context"), hidden});
    const Tensor looked_up = b.embedding(words, b.input("ids", DType::kI64, {batch, seq}));
    x = b.dropout(b.add(looked_up, b.slice(positions, 0, 0, seq)), dropout);
    mask = b.constant("causal_mask", {seq, seq});
  }
  for (std::int64_t k = 0; k < settings.number("layers"); ++k) {
    const auto scope = b.scope(fmt::format("layer.{}", k));
    x = gpt_block(b, x, heads, mask, dropout);
  }
  x = layer_norm(b, "head.norm", x);
  const auto scope = b.scope("head");
  predict_words(b, x, b.transpose_last_two(words));
  return {};
}

double estimate_gpt(const Settings& settings) {
  return static_cast<double>(settings.number("layers") + 2) * (settings.training() ? 150.0 : 55.0);
}

struct GptDefaults {
  std::int64_t batch, seq, context, hidden, layers, heads, dropout;
};

std::vector<ParameterInfo> gpt_parameters(const GptDefaults& defaults, CommonDefaults common) {
  return with_common(
      {
          whole_number("batch", defaults.batch, 1, 65536, "sequences per step"),
          whole_number("seq", defaults.seq, 1, 1'000'000, "tokens of a sequence"),
          whole_number("context", defaults.context, 1, 1'000'000, "learned positions"),
          whole_number("hidden", defaults.hidden, 1, 1'000'000, "width"),
          whole_number("layers", defaults.layers, 1, 20'000, "transformer layers"),
          whole_number("heads", defaults.heads, 1, 4096, "attention heads"),
          whole_number("vocab", 50'257, 2, 10'000'000, "tokens known"),
          whole_number("dropout", defaults.dropout, 0, 99, "dropout in training, percent"),
      },
      common);
}

}  // namespace

std::vector<Model> gpt_models() {
  return {{"gpt2", "GPT-2 language model of 124 M parameters",
           gpt_parameters({8, 512, 1024, 768, 12, 12, 10}, {.optimizer = "adam"}), estimate_gpt, build_gpt},
          {"gpt3-175b", "GPT-3 language model of 175 B parameters",
           gpt_parameters({1, 2048, 2048, 12'288, 96, 96, 0}, {.mode = "infer", .optimizer = "adam", .dtype = "bf16"}),
           estimate_gpt, build_gpt}};
}

}  // namespace berth::zoo
