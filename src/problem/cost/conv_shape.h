// SPDX-License-Identifier: Apache-2.0
// What the cost of a convolution or of its gradients depends on besides flops and bytes, read off the tensors' shapes
// in a way that does not depend on the layout (channels first or last).
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

}  // namespace berth
