// SPDX-License-Identifier: Apache-2.0
// Elements of a tensor as a double: costs are computed in doubles, and products of dimensions may pass 64 bits.
#pragma once

#include "graph/graph.h"

namespace berth {

inline double elements(const Graph& graph, TensorId tensor) {
  double count = 1.0;
  for (const std::int64_t dim : graph.shape(tensor)) count *= static_cast<double>(dim);
  return count;
}

}  // namespace berth
