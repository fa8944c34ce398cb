// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and whole recurrent layers, with their gradients. Unused values that only a gradient would read
// (reserve spaces) are not named: nobody knows their size.
#include "model/shapes/tensorflow/rules.h"

#include <array>

namespace berth::tensorflow {
namespace {

Outputs copies_of(const NodeView& op, std::size_t first, std::size_t count) {
  Outputs shapes;
  for (std::size_t i = first; i < first + count; ++i) shapes.push_back(copy_of(op.shape(i)));
  return shapes;
}

// [batch, times * units] for a state of [batch, units].
std::optional<Shape> gates(const Shape* state, std::int64_t times) {
  if (state == nullptr || state->size() != 2) return std::nullopt;
  return Shape{state->front(), product_of(state->back(), Dim{times})};
}

Outputs lstm_cell(const NodeView& op) { return Outputs(7, copy_of(op.shape(1))); }  // as the state before
Outputs lstm_cell_gradient(const NodeView& op) {
  Outputs shapes{copy_of(op.shape(1)), gates(op.shape(1), 4)};
  for (auto& peephole : copies_of(op, 4, 3)) shapes.push_back(std::move(peephole));
  return shapes;
}

// x [time, batch, inputs], state [batch, units].
Outputs lstm_layer(const NodeView& op) {
  const Shape *x = op.shape(1), *state = op.shape(2);
  if (x == nullptr || x->size() != 3 || state == nullptr || state->empty()) return Outputs(7);
  return Outputs(7, Shape{(*x)[0], (*x)[1], state->back()});
}
Outputs lstm_layer_gradient(const NodeView& op) { return copies_of(op, 1, 8); }

Outputs gru_cell(const NodeView& op) { return Outputs(4, copy_of(op.shape(1))); }
Outputs gru_cell_gradient(const NodeView& op) {
  const auto state = copy_of(op.shape(1));
  return {copy_of(op.shape(0)), state, state, gates(op.shape(1), 2)};
}

// x of three dimensions, the state with as many units as one direction makes.
Outputs cudnn_layer(const NodeView& op) {
  const Shape *x = op.shape(0), *state = op.shape(1);
  std::optional<Shape> result;
  if (x != nullptr && x->size() == 3 && state != nullptr && !state->empty()) {
    const bool both_ways = op.text("direction") == "bidirectional";
    result = Shape{(*x)[0], (*x)[1], product_of(state->back(), Dim{both_ways ? 2 : 1})};
  }
  return {std::move(result), copy_of(op.shape(1)), copy_of(op.shape(2))};
}
Outputs cudnn_layer_gradient(const NodeView& op) { return copies_of(op, 0, 4); }

constexpr std::array kCellsRules{
    RuleRow{"LSTMBlockCell", lstm_cell},
    RuleRow{"LSTMBlockCellGrad", lstm_cell_gradient},
    RuleRow{"BlockLSTM BlockLSTMV2", lstm_layer},
    RuleRow{"BlockLSTMGrad BlockLSTMGradV2", lstm_layer_gradient},
    RuleRow{"GRUBlockCell", gru_cell},
    RuleRow{"GRUBlockCellGrad", gru_cell_gradient},
    RuleRow{"CudnnRNN CudnnRNNV2 CudnnRNNV3", cudnn_layer},
    RuleRow{"CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3", cudnn_layer_gradient},
};

}  // namespace

std::span<const RuleRow> cell_rules() { return kCellsRules; }

}  // namespace berth::tensorflow
