// SPDX-License-Identifier: Apache-2.0
// Llama 3 8B (Meta, 2024): rotary positions, RMS norms, gated feed-forward, four query heads per key-value head.
#include "zoo/models/llama.h"

#include <fmt/format.h>

#include "zoo/models/attention.h"

namespace berth::zoo {
namespace {

// x cos + rotate(x) sin, where rotate swaps the halves of each head and negates one.
Tensor rotate(ModelBuilder& b, Tensor x, const LlamaTables& tables) {
  const std::int64_t half = b.shape(x)[3] / 2;
  const Tensor swapped = b.concat({b.neg(b.slice(x, 3, half, half)), b.slice(x, 3, 0, half)}, 3);
  const Tensor straight = b.mul(x, tables.cosines);
  return b.add(straight, b.mul(swapped, tables.sines));
}

// Repeats every key-value head for the query heads that share it.
Tensor repeat_heads(ModelBuilder& b, Tensor x, std::int64_t heads) {
  const Shape shape = b.shape(x);
  if (shape[1] == heads) return x;
  const Tensor single = b.reshape(x, {shape[0], shape[1], 1, shape[2], shape[3]});
  const Tensor repeated = b.broadcast(single, {shape[0], shape[1], heads / shape[1], shape[2], shape[3]});
  return b.reshape(repeated, {shape[0], heads, shape[2], shape[3]});
}

Tensor llama_layer(ModelBuilder& b, Tensor x, const LlamaSizes& sizes, const LlamaTables& tables, const Settings&) {
  x = llama_attention(b, x, sizes, tables);
  const auto scope = b.scope("mlp");
  return b.add(gated_mlp(b, rms_norm(b, "norm", x), sizes.ffn), x);
}

Status build_llama(ModelBuilder& b, const Settings& settings) {
  BERTH_TRY(const LlamaSizes sizes, llama_sizes(settings));
  llama_model(b, sizes, settings, llama_layer);
  return {};
}

double estimate_llama(const Settings& settings) {
  return static_cast<double>(settings.number("layers") + 2) * (settings.training() ? 180.0 : 65.0);
}

}  // namespace

Result<LlamaSizes> llama_sizes(const Settings& settings) {
  const LlamaSizes sizes{settings.number("batch"),  settings.number("seq"),   settings.number("hidden"),
                         settings.number("layers"), settings.number("heads"), settings.number("kv_heads"),
                         settings.number("ffn"),    settings.number("vocab")};
  BERTH_RETURN_IF_ERROR(check_heads(sizes.hidden, sizes.heads));
  if (sizes.hidden / sizes.heads % 2 != 0) {
    return bad_input("rotary positions need heads of even width, hidden={} and heads={} give {}", sizes.hidden,
                     sizes.heads, sizes.hidden / sizes.heads);
  }
  if (sizes.heads % sizes.kv_heads != 0) {
    return bad_input("heads={} is no multiple of kv_heads={}", sizes.heads, sizes.kv_heads);
  }
  return sizes;
}

std::vector<ParameterInfo> llama_parameters(const LlamaSizes& defaults) {
  return {
      whole_number("batch", defaults.batch, 1, 65536, "sequences per step"),
      whole_number("seq", defaults.seq, 1, 1'000'000, "tokens of a sequence"),
      whole_number("hidden", defaults.hidden, 2, 1'000'000, "width"),
      whole_number("layers", defaults.layers, 1, 20'000, "transformer layers"),
      whole_number("heads", defaults.heads, 1, 4096, "query heads"),
      whole_number("kv_heads", defaults.kv_heads, 1, 4096, "key and value heads"),
      whole_number("ffn", defaults.ffn, 1, 4'000'000, "inner width of the feed-forward part"),
      whole_number("vocab", defaults.vocab, 2, 10'000'000, "tokens known"),
  };
}

Tensor llama_attention(ModelBuilder& b, Tensor x, const LlamaSizes& sizes, const LlamaTables& tables) {
  const auto scope = b.scope("attention");
  const std::int64_t kv_width = sizes.hidden / sizes.heads * sizes.kv_heads;
  const Tensor normed = rms_norm(b, "norm", x);
  const Tensor q = rotate(b, split_heads(b, b.linear("q", normed, sizes.hidden, false), sizes.heads), tables);
  const Tensor k = rotate(b, split_heads(b, b.linear("k", normed, kv_width, false), sizes.kv_heads), tables);
  const Tensor v = split_heads(b, b.linear("v", normed, kv_width, false), sizes.kv_heads);
  const Tensor keys = repeat_heads(b, k, sizes.heads);
  const Tensor mixed = attend(b, q, keys, repeat_heads(b, v, sizes.heads), tables.mask, 0.0);
  return b.add(b.linear("out", merge_heads(b, mixed, sizes.heads), sizes.hidden, false), x);
}

Tensor gated_mlp(ModelBuilder& b, Tensor x, std::int64_t ffn) {
  const std::int64_t hidden = b.shape(x)[-1];
  const Tensor gate = b.silu(b.linear("gate", x, ffn, false));
  return b.linear("down", b.mul(gate, b.linear("up", x, ffn, false)), hidden, false);
}

void llama_model(ModelBuilder& b, const LlamaSizes& sizes, const Settings& settings, LlamaLayer layer) {
  Tensor x;
  LlamaTables tables;
  {
    const auto scope = b.scope("embedding");
    const Tensor words = b.parameter("words", {sizes.vocab, sizes.hidden});
    x = b.embedding(words, b.input("ids", DType::kI64, {sizes.batch, sizes.seq}));
    tables.cosines = b.constant("cosines", {sizes.seq, sizes.hidden / sizes.heads});
    tables.sines = b.constant("sines", {sizes.seq, sizes.hidden / sizes.heads});
    tables.mask = b.constant("causal_mask", {sizes.seq, sizes.seq});
  }
  for (std::int64_t k = 0; k < sizes.layers; ++k) {
    const auto scope = b.scope(fmt::format("layer.{}", k));
    x = layer(b, x, sizes, tables, settings);
  }
  const auto scope = b.scope("head");
  const Tensor normed = rms_norm(b, "norm", x);
  predict_words(b, normed, b.parameter("weight", {sizes.hidden, sizes.vocab}));
}

std::vector<Model> llama_models() {
  return {{"llama-8b", "Llama 3 language model of 8 B parameters",
           with_common(llama_parameters({1, 512, 4096, 32, 32, 8, 14'336, 128'256}),
                       {.mode = "infer", .optimizer = "adam", .dtype = "bf16"}),
           estimate_llama, build_llama}};
}

}  // namespace berth::zoo
