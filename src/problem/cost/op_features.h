// SPDX-License-Identifier: Apache-2.0
// The few numbers the cost of an op depends on, the same for every device. The fit and the cost model share them.
#pragma once

#include "base/ids.h"
#include "base/kinds.h"
#include "graph/graph.h"
#include "problem/cost/op_class.h"
#include "problem/cost/streamed_op.h"

namespace berth {

struct OpFeatures {
  CostClass cost_class = CostClass::kNothing;
  DType dtype =
      DType::kF32;  // chooses the peak: of the first output, or of both factors of a product if they are narrower
  double flops = 0.0;
  double bytes = 0.0;     // moved through memory: bytes_touched, less what the class is known not to read
  double products = 1.0;  // kernels inside the op, each with its own fixed time
  double channels = 0.0;  // narrower side of a convolution; 0 if unknown
  double slices = 0.0;    // independent channels of a batch norm: its parallel width; 0 if unknown
  double rows =
      0.0;  // stretches handled one by one: entries of an index, planes of a batch norm; 0 if it does not matter
  StreamedType streamed = {};  // reads weights or a cache once a step, far more than any cache holds; `rows` are then
                               // those of the activations
};

OpFeatures features_of(const Graph& graph, OpId op);

}  // namespace berth
