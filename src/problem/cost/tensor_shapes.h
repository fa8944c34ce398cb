// SPDX-License-Identifier: Apache-2.0
// What an op costs depends on the shapes of its tensors: how many elements they have, and what a convolution or its
// gradients do, read off in a way that does not depend on the layout (channels first or last).
#pragma once

#include "base/ids.h"
#include "graph/graph.h"

namespace berth {

struct ConvShape {
  bool windowed = true;   // the window has more than one element
  double channels = 0.0;  // the narrower side: min(input channels x stride^2, output channels); 0 if unknown
  int products = 1;       // matrix products inside: 2 when one op makes the gradients of input and weight
};

// `gradient`: the op makes gradients. Inputs are x, weight; or gradient, x, weight; or gradient and one of the two in
// any order.
ConvShape conv_shape(const Graph& graph, OpId op, bool gradient);

// Elements of a tensor as a double: costs are computed in doubles, and products of dimensions may pass 64 bits.
inline double elements(const Graph& graph, TensorId tensor) {
  double count = 1.0;
  for (const std::int64_t dim : graph.shape(tensor)) count *= static_cast<double>(dim);
  return count;
}

}  // namespace berth
