// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that slide windows or walk along a sequence: convolutions, pools, padding, resizing,
// recurrence.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_conv(const OnnxView& node);
Outputs infer_integer_conv(const OnnxView& node);    // of 8-bit numbers, into 32 bits
Outputs infer_quantized_conv(const OnnxView& node);  // input, its scale and zero, weight, its scale and zero, ...
Outputs infer_conv_transpose(const OnnxView& node);
Outputs infer_quantized_conv_transpose(const OnnxView& node);  // inputs as of infer_quantized_conv
Outputs infer_conv_grad(const OnnxView& node);
Outputs infer_pool(const OnnxView& node);
Outputs infer_global_pool(const OnnxView& node);
Outputs infer_max_unpool(const OnnxView& node);
Outputs infer_pad(const OnnxView& node);
Outputs infer_resize(const OnnxView& node);
Outputs infer_grid_sample(const OnnxView& node);
Outputs infer_roi_align(const OnnxView& node);
Outputs infer_recurrent(const OnnxView& node);
Outputs infer_quantized_recurrent(const OnnxView& node);  // with its weights transposed

}  // namespace berth
