// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and whole recurrent layers, with their gradients. Unused values that only a gradient would read
// (reserve spaces) are not named: nobody knows their size.
#include <array>

#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

Shapes copies_of(const OpContext& op, std::size_t first, std::size_t count) {
  Shapes shapes;
  for (std::size_t i = first; i < first + count; ++i) shapes.push_back(copy_of(op.shape(i)));
  return shapes;
}

// [batch, times * units] for a state of [batch, units].
std::optional<Shape> gates(const Shape* state, std::int64_t times) {
  if (state == nullptr || state->size() != 2) return std::nullopt;
  return Shape{state->front(), product(state->back(), Dim{times})};
}

Shapes lstm_cell(const OpContext& op) { return Shapes(7, copy_of(op.shape(1))); }  // as the state before
Shapes lstm_cell_gradient(const OpContext& op) {
  Shapes shapes{copy_of(op.shape(1)), gates(op.shape(1), 4)};
  for (auto& peephole : copies_of(op, 4, 3)) shapes.push_back(std::move(peephole));
  return shapes;
}

// x [time, batch, inputs], state [batch, units].
Shapes lstm_layer(const OpContext& op) {
  const Shape *x = op.shape(1), *state = op.shape(2);
  if (x == nullptr || x->size() != 3 || state == nullptr || state->empty()) return Shapes(7);
  return Shapes(7, Shape{(*x)[0], (*x)[1], state->back()});
}
Shapes lstm_layer_gradient(const OpContext& op) { return copies_of(op, 1, 8); }

Shapes gru_cell(const OpContext& op) { return Shapes(4, copy_of(op.shape(1))); }
Shapes gru_cell_gradient(const OpContext& op) {
  const auto state = copy_of(op.shape(1));
  return {copy_of(op.shape(0)), state, state, gates(op.shape(1), 2)};
}

// x of three dimensions, the state with as many units as one direction makes.
Shapes cudnn_layer(const OpContext& op) {
  const Shape *x = op.shape(0), *state = op.shape(1);
  std::optional<Shape> result;
  if (x != nullptr && x->size() == 3 && state != nullptr && !state->empty()) {
    const bool both_ways = op.attributes.string("direction") == "bidirectional";
    result = Shape{(*x)[0], (*x)[1], product(state->back(), Dim{both_ways ? 2 : 1})};
  }
  return {std::move(result), copy_of(op.shape(1)), copy_of(op.shape(2))};
}
Shapes cudnn_layer_gradient(const OpContext& op) { return copies_of(op, 0, 4); }

constexpr std::array kCellRules{RuleRow{"LSTMBlockCell", lstm_cell},
                                RuleRow{"LSTMBlockCellGrad", lstm_cell_gradient},
                                RuleRow{"BlockLSTM", lstm_layer},
                                RuleRow{"BlockLSTMV2", lstm_layer},
                                RuleRow{"BlockLSTMGrad", lstm_layer_gradient},
                                RuleRow{"BlockLSTMGradV2", lstm_layer_gradient},
                                RuleRow{"GRUBlockCell", gru_cell},
                                RuleRow{"GRUBlockCellGrad", gru_cell_gradient},
                                RuleRow{"CudnnRNN", cudnn_layer},
                                RuleRow{"CudnnRNNV2", cudnn_layer},
                                RuleRow{"CudnnRNNV3", cudnn_layer},
                                RuleRow{"CudnnRNNBackprop", cudnn_layer_gradient},
                                RuleRow{"CudnnRNNBackpropV2", cudnn_layer_gradient},
                                RuleRow{"CudnnRNNBackpropV3", cudnn_layer_gradient}};

}  // namespace

std::span<const RuleRow> cell_rules() { return kCellRules; }

}  // namespace berth::tensorflow
