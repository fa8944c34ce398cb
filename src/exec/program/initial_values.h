// SPDX-License-Identifier: Apache-2.0
// What parameters, buffers and inputs hold before the first step: random values that depend on the op alone, so that
// every placement begins with the same numbers. Weights are scaled by their width, so that values neither grow without
// bound nor shrink to denormal numbers, which CPUs handle slowly. Whole numbers are indices: they stay below the size
// of what they look up.
#pragma once

#include <ATen/ATen.h>

#include "graph/graph.h"

namespace berth::exec {

at::Tensor initial_value(const Graph& graph, OpId op, const at::Device& device);

// The least size among the tables that whole numbers of this tensor look up, directly or through views and copies; 2 if
// they look up nothing.
std::int64_t index_bound(const Graph& graph, TensorId tensor);

}  // namespace berth::exec
