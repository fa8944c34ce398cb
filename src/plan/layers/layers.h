// SPDX-License-Identifier: Apache-2.0
// The layers of a model, and the layer of every op, for rules that place by layers.
//
// Module paths say it where the graph carries them, or scopes in the names of ops ("/encoder/layer.0/query/MatMul");
// elsewhere the labels of parameters do: an op belongs to the layer of the parameters it reads. The rest is spread over
// the graph in time linear in its edges:
//   - a forward op goes with the latest layer among its inputs (a residual sum with the block it closes); one that
//     depends on graph inputs alone goes with its first consumer;
//   - a gradient op goes with its forward op if the graph names that; else with its parameter (those it reads, or the
//     one whose update is all it leads to); else with the latest forward layer it reads; else with the earliest layer
//     among the gradients it reads (the backward pass runs from late to early layers).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace berth {

struct Layers {
  std::vector<std::string> names;      // in the order in which the forward pass first computes in them
  std::vector<std::uint32_t> of_op;    // indexed by OpId: index into names
  std::vector<std::uint8_t> backward;  // indexed by OpId: 1 in the backward pass
};

// Nothing when neither module paths nor labels name a single layer.
std::optional<Layers> find_layers(const Graph& graph);

// Layers that read the same weights, as a softmax does that has the table of the embedding.
struct TiedLayers {
  std::vector<std::uint32_t> readers;  // ascending
  std::vector<std::uint32_t> bound;    // those of them that read few others: more than half of their weights' bytes
  Bytes shared = 0;
};

// Only such with layers that are bound; those that share most bytes first. Equal weights that exporters write once,
// such as those of fresh normalisations, bind nobody.
std::vector<TiedLayers> tied_layers(const Graph& graph, const Layers& layers);

}  // namespace berth
