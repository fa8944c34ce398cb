// SPDX-License-Identifier: Apache-2.0
// Cost classes: ops that one row of the efficiency table (problem/cost/efficiency.h) prices.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

enum class CostClass : std::uint8_t {
  kMatmul,             // matrix products, batched ones too; recurrent layers; loops, for the products inside
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
  kNothing,   // no kernel, no time: a view by another name, a shape, an assertion
};
inline constexpr int kCostClasses = static_cast<int>(CostClass::kNothing) + 1;

std::string_view name_of(CostClass cost_class);  // "matmul", "conv windowed", ...

}  // namespace berth
