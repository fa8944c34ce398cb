// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that multiply matrices.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_matmul(const OnnxView& node);            // MatMul, Gemm and fused forms with their transpositions
Outputs infer_integer_matmul(const OnnxView& node);    // of 8-bit numbers, into 32 bits
Outputs infer_quantized_matmul(const OnnxView& node);  // a, its scale and zero, b, its scale and zero, ...
Outputs infer_dequantized_matmul(const OnnxView& node);
Outputs infer_matmul_nbits(const OnnxView& node);  // the weight is packed; attributes say its sizes
Outputs infer_einsum(const OnnxView& node);

}  // namespace berth
