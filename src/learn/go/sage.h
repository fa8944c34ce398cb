// SPDX-License-Identifier: Apache-2.0
// SageLayer: one round of GraphSAGE with max pooling (Hamilton et al., 2017), trained with the rest of the network.
//   pooled(v) = max over neighbours u of relu(W_pool h(u) + b_pool), element by element
//   h'(v)     = h(v) + relu(W [h(v); pooled over those before v; pooled over those behind v] + b)
// The two directions are pooled apart and the old state stays, unlike in the two re-implementations that are known.
#pragma once

#include <string>

#include "learn/go/graph.h"
#include "learn/nn/parameters.h"

namespace berth::learn {

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

}  // namespace berth::learn
