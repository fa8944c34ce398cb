// SPDX-License-Identifier: Apache-2.0
// Quantised patterns of ONNX. A file spells an integer kernel out: DequantizeLinear at every input, the op on floating
// numbers, QuantizeLinear behind it. Runtimes fold such a pattern into one kernel that reads and writes the narrow
// numbers, and so it is priced (docs/cost-model.md has the rules, which follow onnxruntime's selectors of node groups):
//
// - DequantizeLinear -> op -> QuantizeLinear, for the ops of a short table: the values between keep the narrow type, so
//   the op moves narrow numbers and products run at their rate. A Relu or Clip before the QuantizeLinear is part of the
//   kernel.
// - Products (MatMul, Gemm) of two dequantised factors need no QuantizeLinear behind them: they put out floating
// numbers.
// - Products with a dequantised weight alone read it as narrow as it is stored and compute in floating numbers.
//
// All nodes stay. Those that a kernel has swallowed become views, and share the device of the kernel. A
// DequantizeLinear that others read as well keeps its cost.
#pragma once

#include <vector>

#include "base/units.h"
#include "model/model.h"

namespace berth {

// Changes the types of values inside patterns, and the groups of their nodes. Returns per node the bytes that the
// kernel moves, with its scales and zero points; -1 where nothing was folded. For models without foldable constants
// (model/fold.h); does nothing to other dialects.
std::vector<Bytes> fuse_quantised(Model& model);

}  // namespace berth
