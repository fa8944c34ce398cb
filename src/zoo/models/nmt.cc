// SPDX-License-Identifier: Apache-2.0
// NMT: attentional sequence to sequence of LSTM layers, statically unrolled on both sides. The configuration follows
// the public one of the same team (github tensorflow/nmt): 1024 units, 32k word pieces, lengths cut at 50, dropout 0.2
// before every cell, additive (Bahdanau) attention, input feeding. `attention=standard` queries with the top decoder
// layer and feeds the result to the bottom one at the next step; `attention=gnmt` queries with the bottom layer and
// feeds all layers above.
#include <fmt/format.h>

#include <algorithm>

#include "zoo/models/lstm.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

struct NmtSizes {
  std::int64_t batch, hidden, steps, vocab, layers;
  double dropout;
  GateGrain grain;
  bool gnmt, residual, bidirectional;
};

NmtSizes nmt_sizes(const Settings& settings) {
  return {settings.number("batch"),
          settings.number("hidden"),
          settings.number("unroll"),
          settings.number("vocab"),
          settings.number("layers"),
          static_cast<double>(settings.number("dropout")) / 100.0,
          settings.is("gates", "split") ? GateGrain::kSplit : GateGrain::kJoined,
          settings.is("attention", "gnmt"),
          settings.number("residual") == 1,
          settings.number("bidirectional") == 1};
}

double estimate_nmt(const Settings& settings) {
  const double steps = static_cast<double>(settings.number("unroll"));
  const double stacks = static_cast<double>(2 * settings.number("layers") + settings.number("bidirectional"));
  return steps * (settings.training() ? stacks * 99.0 + 65.0 : stacks * 26.0 + 17.0);
}

// Additive attention over the encoder's outputs.
class Attention {
 public:
  Attention(ModelBuilder& b, const NmtSizes& sizes, std::span<const Tensor> encoder_outputs) : sizes_(sizes) {
    const auto scope = b.scope("attention");
    const std::int64_t width = b.shape(encoder_outputs[0])[1];
    memory_ = b.contiguous(b.transpose(b.stack(encoder_outputs), {1, 0, 2}));  // [batch, steps, width]
    keys_ = b.project(memory_, b.parameter("memory_layer.weight", {width, sizes.hidden}));
    query_weight_ = b.parameter("query_layer.weight", {sizes.hidden, sizes.hidden});
    score_weight_ = b.parameter("v", {sizes.hidden});
    output_weight_ = b.parameter("output_layer.weight", {sizes.hidden + width, sizes.hidden});
    mask_ = b.input("source_mask", b.dtype(), {sizes.batch, sizes.steps});
  }

  Tensor step(ModelBuilder& b, std::size_t t, Tensor hidden) const {
    const auto scope = b.scope(fmt::format("attention.t{}", t));
    const Tensor query = b.reshape(b.matmul(hidden, query_weight_), {sizes_.batch, 1, sizes_.hidden});
    const Tensor energy = b.mul(b.tanh(b.add(keys_, query)), score_weight_);
    const Tensor scores = b.reduce_sum(energy, {sizes_.batch, sizes_.steps, 1});
    const Tensor masked = b.add(b.reshape(scores, {sizes_.batch, sizes_.steps}), mask_);
    const Tensor weights = b.reshape(b.softmax(masked), {sizes_.batch, 1, sizes_.steps});
    const Tensor context = b.reshape(b.batch_matmul(weights, memory_), {sizes_.batch, b.shape(memory_)[2]});
    return b.matmul(b.concat({hidden, context}, 1), output_weight_);
  }

 private:
  NmtSizes sizes_;
  Tensor memory_, keys_, query_weight_, score_weight_, output_weight_, mask_;
};

// One layer of a stack with its state.
struct Cell {
  LstmLayer layer;
  LstmState state;

  Tensor step(ModelBuilder& b, Tensor x, double dropout) {
    state = layer.step(b, b.dropout(x, dropout), state);
    return state.h;
  }

  // Sentences that have ended (mask 0) keep their state.
  Tensor masked_step(ModelBuilder& b, Tensor x, double dropout, Tensor mask) {
    const LstmState before = state;
    step(b, x, dropout);
    state = {b.select(mask, state.c, before.c), b.select(mask, state.h, before.h)};
    return state.h;
  }
};

LstmState zero_state(ModelBuilder& b, const NmtSizes& sizes) {
  const Tensor zero = b.constant("zero_state", {sizes.batch, sizes.hidden});
  return {zero, zero};
}

// First encoder layer in both directions; gives the two outputs of every step side by side.
std::vector<Tensor> bidirectional_layer(ModelBuilder& b, const NmtSizes& sizes, std::vector<Tensor> steps,
                                        std::span<const Tensor> masks, Cell& forward) {
  std::vector<Tensor> backward_outputs(steps.size());
  {
    const auto scope = b.scope("encoder.layer.0.backward");
    Cell backward{{b, sizes.hidden, sizes.hidden, sizes.grain}, zero_state(b, sizes)};
    for (std::size_t t = steps.size(); t-- > 0;) {
      const auto at = b.scope(fmt::format("t{}", t));
      backward_outputs[t] = backward.masked_step(b, steps[t], sizes.dropout, masks[t]);
    }
  }
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const auto scope = b.scope(fmt::format("encoder.layer.0.t{}", t));
    steps[t] = b.concat({forward.masked_step(b, steps[t], sizes.dropout, masks[t]), backward_outputs[t]}, 1);
  }
  return steps;
}

struct Encoded {
  std::vector<Tensor> outputs;    // of the top layer, by step
  std::vector<LstmState> finals;  // by layer
};

Encoded encode(ModelBuilder& b, const NmtSizes& sizes, std::vector<Tensor> steps) {
  std::vector<Cell> cells;
  for (std::int64_t k = 0; k < sizes.layers; ++k) {
    const auto scope = b.scope(fmt::format("encoder.layer.{}", k));
    const std::int64_t inputs = sizes.bidirectional && k == 1 ? 2 * sizes.hidden : sizes.hidden;
    cells.push_back({{b, inputs, sizes.hidden, sizes.grain}, zero_state(b, sizes)});
  }
  std::vector<Tensor> masks;
  {
    const auto scope = b.scope("encoder");
    masks = b.unstack(b.input("mask", DType::kBool, {sizes.steps, sizes.batch, 1}));
  }
  if (sizes.bidirectional) steps = bidirectional_layer(b, sizes, std::move(steps), masks, cells[0]);
  for (std::size_t t = 0; t < steps.size(); ++t) {
    for (std::size_t k = sizes.bidirectional ? 1 : 0; k < cells.size(); ++k) {
      const auto scope = b.scope(fmt::format("encoder.layer.{}.t{}", k, t));
      const Tensor h = cells[k].masked_step(b, steps[t], sizes.dropout, masks[t]);
      const bool same_width = b.shape(steps[t]) == b.shape(h);
      steps[t] = sizes.residual && k > 0 && same_width ? b.add(h, steps[t]) : h;
    }
  }
  Encoded encoded{std::move(steps), {}};
  for (const Cell& cell : cells) encoded.finals.push_back(cell.state);
  return encoded;
}

class Decoder {
 public:
  Decoder(ModelBuilder& b, const NmtSizes& sizes, std::span<const LstmState> initial) : sizes_(sizes) {
    for (std::int64_t k = 0; k < sizes.layers; ++k) {
      const auto scope = b.scope(fmt::format("decoder.layer.{}", k));
      const bool fed = k == 0 || sizes.gnmt;
      if (k == 0) fed_ = b.constant("zero_feed", {sizes.batch, sizes.hidden});
      cells_.push_back({{b, fed ? 2 * sizes.hidden : sizes.hidden, sizes.hidden, sizes.grain},
                        initial[static_cast<std::size_t>(k)]});
    }
  }

  // Gives what the softmax sees.
  Tensor step(ModelBuilder& b, std::size_t t, Tensor word, const Attention& attention) {
    Tensor x = word;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const auto scope = b.scope(fmt::format("decoder.layer.{}.t{}", k, t));
      const Tensor input = k == 0 || sizes_.gnmt ? b.concat({x, fed_}, 1) : x;
      const Tensor h = cells_[k].step(b, input, sizes_.dropout);
      x = sizes_.residual && k > 0 ? b.add(h, x) : h;
      if (k == 0 && sizes_.gnmt) fed_ = attend_outside(b, t, x, attention);
    }
    if (sizes_.gnmt) return x;
    return fed_ = attention.step(b, t, x);
  }

 private:
  // Attention has a module path of its own, so it must not be written down within the layer's.
  static Tensor attend_outside(ModelBuilder& b, std::size_t t, Tensor x, const Attention& attention) {
    const auto root = b.root_scope();
    return attention.step(b, t, x);
  }

  NmtSizes sizes_;
  std::vector<Cell> cells_;
  Tensor fed_;
};

Status build_nmt(ModelBuilder& b, const Settings& settings) {
  const NmtSizes sizes = nmt_sizes(settings);
  std::vector<Tensor> source, target;
  {
    const auto scope = b.scope("embedding.source");
    source = embedded_steps(b, "words", sizes.steps, sizes.batch, sizes.vocab, sizes.hidden);
  }
  {
    const auto scope = b.scope("embedding.target");
    target = embedded_steps(b, "words", sizes.steps, sizes.batch, sizes.vocab, sizes.hidden);
  }
  const Encoded encoded = encode(b, sizes, std::move(source));
  const Attention attention(b, sizes, encoded.outputs);
  Decoder decoder(b, sizes, encoded.finals);
  StepSoftmax softmax(b, sizes.steps, sizes.batch, sizes.hidden, sizes.vocab);
  for (std::size_t t = 0; t < target.size(); ++t) softmax.step(b, t, decoder.step(b, t, target[t], attention));
  softmax.finish(b);
  return {};
}

Model nmt(std::string_view name, std::string_view summary, std::int64_t layers) {
  return {name, summary,
          with_common({
              whole_number("batch", 320, 1, 65536, "sentence pairs per step"),
              whole_number("unroll", 50, 1, 100'000, "time steps of the source and of the target"),
              whole_number("hidden", 1024, 1, 65536, "width of embeddings, cells and attention"),
              whole_number("layers", layers, 1, 4096, "LSTM layers of the encoder and of the decoder"),
              whole_number("vocab", 32'000, 2, 10'000'000, "word pieces of each language"),
              whole_number("dropout", 20, 0, 99, "dropout before each cell, percent"),
              whole_number("residual", 1, 0, 1, "1: add a layer's input to its output from the second layer on"),
              whole_number("bidirectional", 1, 0, 1, "1: the first encoder layer reads both ways"),
              choice("attention", "standard", "standard|gnmt", "queried by the top layer, or by the bottom one"),
              choice("gates", "split", "split|joined", "a product per gate, or the four gates in one"),
          }),
          estimate_nmt, build_nmt};
}

}  // namespace

std::vector<Model> nmt_models() {
  return {nmt("nmt-2", "attentional translation, 2 + 2 LSTM layers, unrolled", 2),
          nmt("nmt-4", "attentional translation, 4 + 4 LSTM layers, unrolled", 4),
          nmt("nmt-8", "attentional translation, 8 + 8 LSTM layers, unrolled", 8)};
}

}  // namespace berth::zoo
