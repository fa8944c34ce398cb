// SPDX-License-Identifier: Apache-2.0
// What kind of layer each layer is, as far as the rule for recurrent models asks.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "plan/layers/layers.h"

namespace berth {

enum class LayerKind : std::uint8_t {
  kRecurrent,  // an unrolled cell: its own output comes back to its own parameters; or an op of type lstm, gru, rnn
  kEmbedding,  // looks rows up in a table
  kOther,
};

// One entry per layer. Only the forward pass is looked at.
std::vector<LayerKind> layer_kinds(const Graph& graph, const Layers& layers);

// Parameters that close the loops of unrolled cells: what the forward pass computes from one comes back to it inside
// its layer. In order of their ids.
std::vector<OpId> recurrent_parameters(const Graph& graph, const Layers& layers);

}  // namespace berth
