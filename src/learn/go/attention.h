// SPDX-License-Identifier: Apache-2.0
// AttentionLayer: attention over segments with recurrence (Transformer-XL, Dai et al., 2019), without positions. Nodes
// come in topological order; a segment looks at itself and at the segment before it, whose states count as constants.
// Every layer adds a segment of reach. Cost and memory grow with nodes x segment, not with the square of the nodes. All
// segments are computed at once, since what is kept of a segment is what its own layer began with.
//
// Before it the states are multiplied by a gate of the graph as a whole (feature modulation): one set of parameters
// then behaves differently for different graphs.
#pragma once

#include <string>

#include "learn/nn/parameters.h"
#include "runs/methods/go.h"

namespace berth::learn {

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
