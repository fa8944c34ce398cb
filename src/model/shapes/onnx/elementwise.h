// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that work element by element: arithmetic, comparisons, casts, quantisation, random numbers.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_like_first(const OnnxView& node);
Outputs infer_like_second(const OnnxView& node);
Outputs infer_pairs(const OnnxView& node);    // output i is like input i
Outputs infer_dropout(const OnnxView& node);  // and a mask
Outputs infer_elementwise(const OnnxView& node);
Outputs infer_comparison(const OnnxView& node);
Outputs infer_where(const OnnxView& node);
Outputs infer_cast(const OnnxView& node);
Outputs infer_cast_like(const OnnxView& node);
Outputs infer_quantize(const OnnxView& node);
Outputs infer_dequantize(const OnnxView& node);
Outputs infer_dynamic_quantize(const OnnxView& node);
Outputs infer_quantized_pair(const OnnxView& node);  // a, its scale and zero, b, its scale and zero
Outputs infer_quantized_where(const OnnxView& node);
Outputs infer_bitmask_dropout(const OnnxView& node);  // and a mask of one bit for each element
Outputs infer_multinomial(const OnnxView& node);
Outputs infer_random(const OnnxView& node);
Outputs infer_random_like(const OnnxView& node);
Outputs infer_split_gelu(const OnnxView& node);  // half of the last axis gates the other half

}  // namespace berth
