// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that cut, put together or address images, and of onnxruntime's that reorder them.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_center_crop_pad(const OnnxView& node);
Outputs infer_col2im(const OnnxView& node);
Outputs infer_max_roi_pool(const OnnxView& node);
Outputs infer_affine_grid(const OnnxView& node);
// Between the usual layout and blocks of channels. How many channels a block has is the runtime's choice; the last one
// is not filled up here.
Outputs infer_reorder_input(const OnnxView& node);
Outputs infer_reorder_output(const OnnxView& node);

}  // namespace berth
