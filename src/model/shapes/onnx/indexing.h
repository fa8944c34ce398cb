// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that pick elements, and of those whose result depends on a shape or a count.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_slice(const OnnxView& node);
Outputs infer_gather(const OnnxView& node);
Outputs infer_gather_elements(const OnnxView& node);
Outputs infer_gather_nd(const OnnxView& node);
Outputs infer_embedding(const OnnxView& node);           // ATen's: table, indices
Outputs infer_embedding_backward(const OnnxView& node);  // ATen's: gradient, indices, number of rows
Outputs infer_shape(const OnnxView& node);
Outputs infer_size(const OnnxView& node);
Outputs infer_constant_of_shape(const OnnxView& node);
Outputs infer_range(const OnnxView& node);
Outputs infer_top_k(const OnnxView& node);
Outputs infer_one_hot(const OnnxView& node);
Outputs infer_non_zero(const OnnxView& node);  // [rank, NODE.1]
Outputs infer_non_max(const OnnxView& node);   // [NODE.0, 3]
Outputs infer_compress(const OnnxView& node);
Outputs infer_unique(const OnnxView& node);
Outputs infer_unique_of_row(const OnnxView& node);
Outputs infer_gather_quantized(const OnnxView& node);
Outputs infer_gather_grad(const OnnxView& node);     // shape, indices, gradient
Outputs infer_slice_grad(const OnnxView& node);      // gradient, shape, ...
Outputs infer_broadcast_axes(const OnnxView& node);  // two lists of axes of unknown length

}  // namespace berth
