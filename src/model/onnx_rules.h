// SPDX-License-Identifier: Apache-2.0
// Rules for the outputs of ONNX operators, one table by type.
#pragma once

#include <optional>
#include <vector>

#include "model/onnx_view.h"

namespace berth {

struct Inferred {
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
};

// Outputs in order; fewer than the node has, or without a shape, where nothing is known.
std::vector<Inferred> infer_outputs(const OnnxView& node);

}  // namespace berth
