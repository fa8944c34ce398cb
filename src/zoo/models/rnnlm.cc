// SPDX-License-Identifier: Apache-2.0
// RNNLM: a language model of stacked LSTM layers, statically unrolled (Jozefowicz et al., 2016, and the TensorFlow
// tutorial's PTB models; the papers give neither width nor length).
#include <fmt/format.h>

#include "zoo/models/lstm.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

double estimate_rnnlm(const Settings& settings) {
  const double cells = static_cast<double>(settings.number("layers") * settings.number("unroll"));
  return cells * (settings.training() ? 115.0 : 30.0) + 1000.0;
}

Status build_rnnlm(ModelBuilder& b, const Settings& settings) {
  const std::int64_t batch = settings.number("batch"), hidden = settings.number("hidden");
  const std::int64_t steps = settings.number("unroll"), vocab = settings.number("vocab");
  const double dropout = static_cast<double>(settings.number("dropout")) / 100.0;
  const GateGrain grain = settings.is("gates", "split") ? GateGrain::kSplit : GateGrain::kJoined;

  std::vector<Tensor> words;
  {
    const auto scope = b.scope("embedding");
    words = embedded_steps(b, "words", steps, batch, vocab, hidden);
  }
  std::vector<LstmLayer> layers;
  std::vector<LstmState> states;
  for (std::int64_t k = 0; k < settings.number("layers"); ++k) {
    const auto scope = b.scope(fmt::format("lstm.layer.{}", k));
    layers.emplace_back(b, hidden, hidden, grain);
    const Tensor zero = b.constant("zero_state", {batch, hidden});
    states.push_back({zero, zero});
  }
  StepSoftmax softmax(b, steps, batch, hidden, vocab);
  for (std::size_t t = 0; t < words.size(); ++t) {
    Tensor x = words[t];
    for (std::size_t k = 0; k < layers.size(); ++k) {
      const auto scope = b.scope(fmt::format("lstm.layer.{}.t{}", k, t));
      states[k] = layers[k].step(b, b.dropout(x, dropout), states[k]);
      x = states[k].h;
    }
    softmax.step(b, t, x);
  }
  softmax.finish(b);
  return {};
}

}  // namespace

std::vector<Model> rnnlm_models() {
  return {{"rnnlm", "LSTM language model, unrolled, softmax at every step",
           with_common({
               whole_number("batch", 64, 1, 65536, "sequences per step"),
               whole_number("unroll", 40, 1, 100'000, "time steps"),
               whole_number("hidden", 2048, 1, 65536, "width of embedding and cells"),
               whole_number("layers", 2, 1, 4096, "LSTM layers"),
               whole_number("vocab", 10'000, 2, 10'000'000, "words"),
               whole_number("dropout", 20, 0, 99, "dropout before each cell, percent"),
               choice("gates", "split", "split|joined", "a product per gate, or the four gates in one"),
           }),
           estimate_rnnlm, build_rnnlm}};
}

}  // namespace berth::zoo
