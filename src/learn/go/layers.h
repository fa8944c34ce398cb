// SPDX-License-Identifier: Apache-2.0
// The layers of the network of `go`: rounds of a graph network, then attention.
#pragma once

#include <string>

#include "learn/go/graph.h"
#include "learn/nn/parameters.h"
#include "runs/methods/go.h"

namespace berth::learn {

// SageLayer: one round of GraphSAGE with max pooling (Hamilton et al., 2017), trained with the rest of the network.
//   pooled(v) = max over neighbours u of relu(W_pool h(u) + b_pool), element by element
//   h'(v)     = h(v) + relu(W [h(v); pooled over those before v; pooled over those behind v] + b)
// The two directions are pooled apart and the old state stays, unlike in the two re-implementations that are known.
class SageLayer {
 public:
  SageLayer(const std::string& name, std::int64_t width, Parameters& parameters, Rng& rng);
  [[nodiscard]] Tensor forward(const Tensor& states, const Neighbours& before, const Neighbours& after) const;

 private:
  Tensor pool_, pool_bias_, mix_, mix_bias_;
};

// Element by element the largest value among a node's neighbours; 0 where there are none. Values must not be negative.
// Gradients go to the first neighbour that has it. Linear in the edges.
Tensor max_of_neighbours(const Tensor& values, const Neighbours& neighbours);

// AttentionLayer: attention over segments with recurrence (Transformer-XL, Dai et al., 2019), without positions. Nodes
// come in topological order; a segment looks at itself and at the segment before it, whose states count as constants.
// Every layer adds a segment of reach. Cost and memory grow with nodes x segment, not with the square of the nodes. All
// segments are computed at once, since what is kept of a segment is what its own layer began with.
//
// Before it the states are multiplied by a gate of the graph as a whole (feature modulation): one set of parameters
// then behaves differently for different graphs.
class AttentionLayer {
 public:
  AttentionLayer(const std::string& name, std::int64_t width, const GoOptions& options, Parameters& parameters,
                 Rng& rng);
  // [nodes, width] to the same; `graph` [width] stands for the whole graph.
  [[nodiscard]] Tensor forward(const Tensor& states, const Tensor& graph) const;

 private:
  [[nodiscard]] Tensor attend(const Tensor& input) const;

  std::int64_t width_, heads_, segment_;
  Tensor gate_, gate_bias_;  // undefined: no modulation
  Tensor query_, key_value_, out_, grow_, grow_bias_, shrink_, shrink_bias_;
  Tensor norm_1_, norm_1_bias_, norm_2_, norm_2_bias_;
};

}  // namespace berth::learn
