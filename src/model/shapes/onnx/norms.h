// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that reduce axes, normalise, or end in a loss.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_reduce(const OnnxView& node);
Outputs infer_reduce_all(const OnnxView& node);  // to one number
Outputs infer_determinant(const OnnxView& node);
Outputs infer_arg_reduce(const OnnxView& node);
Outputs infer_layer_norm(const OnnxView& node);
Outputs infer_layer_norm_grad(const OnnxView& node);
Outputs infer_skip_layer_norm(const OnnxView& node);
Outputs infer_embed_layer_norm(const OnnxView& node);
Outputs infer_batch_norm(const OnnxView& node);
Outputs infer_loss(const OnnxView& node);  // scores and labels; the loss, and the logarithms of the probabilities

}  // namespace berth
