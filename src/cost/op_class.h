// SPDX-License-Identifier: Apache-2.0
// Cost classes: ops that one row of the efficiency table prices. The class of an op follows from the name of its type,
// whatever framework the name comes from, and for a few types from the shapes of its tensors. One table of names, in
// op_class.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "graph/graph.h"

namespace berth {

enum class CostClass : std::uint8_t {
  kMatmul,             // matrix products, batched ones too
  kConvPointwise,      // convolution whose window is one element
  kConvWindowed,       // any other convolution
  kConvGradPointwise,  // gradients of a convolution for its input, its weight, or both in one op
  kConvGradWindowed,
  kAttention,    // fused attention
  kElementwise,  // reads and writes every element once
  kRandom,       // draws a number for every element
  kUpdate,       // optimiser steps
  kCopy,         // joins, transposing copies, padding
  kFill,         // writes a constant: its inputs give the shape alone
  kReduction,
  kSoftmax,
  kSoftmaxGrad,
  kBatchNorm,           // with statistics of the batch
  kBatchNormInference,  // with stored statistics
  kBatchNormGrad,
  kLayerNorm,
  kLayerNormGrad,
  kPool,
  kPoolGrad,
  kGather,    // reads rows that an index names
  kScatter,   // adds rows where an index says
  kLossGrad,  // writes one value per row into zeros
  kNothing,   // no kernel: a view by another name, an assertion
};
inline constexpr int kCostClasses = static_cast<int>(CostClass::kNothing) + 1;

std::string_view name_of(CostClass cost_class);  // "matmul", "conv windowed", ...

// Class by name alone. ATen overloads, underscores and case do not matter: "aten._log_softmax.default" and "LogSoftmax"
// are one. An unknown type counts as element by element.
CostClass class_of_type(std::string_view type);
bool is_known_type(std::string_view type);

// Class of an op: by name, then by shape where the name is not enough.
CostClass class_of(const Graph& graph, OpId op);

}  // namespace berth
