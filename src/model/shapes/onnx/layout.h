// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that arrange their elements anew: reshaping, joining, splitting, repeating.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_transpose(const OnnxView& node);
Outputs infer_reshape(const OnnxView& node);
Outputs infer_flatten(const OnnxView& node);
Outputs infer_squeeze(const OnnxView& node);
Outputs infer_unsqueeze(const OnnxView& node);
Outputs infer_concat(const OnnxView& node);
Outputs infer_quantized_concat(const OnnxView& node);
Outputs infer_concat_training(const OnnxView& node);  // and the length of every part
Outputs infer_split(const OnnxView& node);
Outputs infer_expand(const OnnxView& node);
Outputs infer_tile(const OnnxView& node);
Outputs infer_depth_to_space(const OnnxView& node);
Outputs infer_space_to_depth(const OnnxView& node);

}  // namespace berth
