// SPDX-License-Identifier: Apache-2.0
// Unfused LSTM cells, and the softmax with its loss at every step, for the recurrent models.
#pragma once

#include <array>
#include <vector>

#include "zoo/model_builder.h"

namespace berth::zoo {

// How a cell multiplies: one small product per gate and operand (as Keras' implementation 1 does), or the gates joined
// in one wide product per operand that is split afterwards (as most frameworks do).
enum class GateGrain { kSplit, kJoined };

struct LstmState {
  Tensor c, h;  // [batch, hidden]
};

// The weights of one layer, shared by all its steps. Labels: weight_ih, weight_hh, bias, with _i _f _g _o for split
// gates.
class LstmLayer {
 public:
  // Makes the parameters in the current scope.
  LstmLayer(ModelBuilder& builder, std::int64_t inputs, std::int64_t hidden, GateGrain grain);

  // One step: 21 ops with split gates, 15 with joined ones.
  LstmState step(ModelBuilder& builder, Tensor x, const LstmState& before) const;

 private:
  [[nodiscard]] std::array<Tensor, 4> gate_sums(ModelBuilder& builder, Tensor x, Tensor h) const;

  GateGrain grain_;
  std::vector<Tensor> weight_ih_, weight_hh_, bias_;  // one each, or one per gate
};

// Projection to the vocabulary at every step, and what follows: the weighted loss (training) or the best word
// (inference).
class StepSoftmax {
 public:
  // Makes "softmax.weight" and "softmax.bias", and in training the inputs for labels and their weights.
  StepSoftmax(ModelBuilder& builder, std::int64_t steps, std::int64_t batch, std::int64_t hidden, std::int64_t vocab);

  void step(ModelBuilder& builder, std::size_t t, Tensor hidden);
  // Sums the steps' losses into the program's loss; nothing to do for inference.
  void finish(ModelBuilder& builder);

 private:
  Tensor weight_, bias_;
  std::vector<Tensor> labels_, label_weights_, losses_;
  std::int64_t batch_;
};

// Looks up a whole sequence of ids, input `name` [steps, batch], in a new table and cuts it into steps of [batch,
// hidden].
std::vector<Tensor> embedded_steps(ModelBuilder& builder, std::string_view name, std::int64_t steps, std::int64_t batch,
                                   std::int64_t vocab, std::int64_t hidden);

}  // namespace berth::zoo
