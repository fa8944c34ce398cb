// SPDX-License-Identifier: Apache-2.0
// Rules for the outputs of ONNX operators (and of onnxruntime's, domain com.microsoft), one table by type. The rules
// themselves are sorted by theme: onnx_elementwise.h, onnx_products.h, onnx_layout.h, onnx_indexing.h, onnx_norms.h,
// onnx_attention.h, onnx_windows.h, onnx_images.h, onnx_signals.h, onnx_sequences.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/shapes/onnx/view.h"

namespace berth {

struct Inferred {
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
  std::string opens = {};  // symbol of a size in it that only a run can tell
};

using Outputs = std::vector<Inferred>;

// Outputs in order; fewer than the node has, or without a shape, where nothing is known.
Outputs infer_outputs(const OnnxView& node);

// Whether the type has a rule. A type of onnxruntime's domains without one of its own has that of ONNX's operator of
// the same name.
bool has_shape_rule(std::string_view type);

}  // namespace berth
