// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that slide windows or walk along a sequence: convolutions, pools, padding, resizing,
// recurrence.
#pragma once

#include <vector>

#include "model/onnx_rules.h"

namespace berth {

std::vector<Inferred> infer_conv(const OnnxView& node);
std::vector<Inferred> infer_conv_transpose(const OnnxView& node);
std::vector<Inferred> infer_pool(const OnnxView& node);
std::vector<Inferred> infer_global_pool(const OnnxView& node);
std::vector<Inferred> infer_pad(const OnnxView& node);
std::vector<Inferred> infer_resize(const OnnxView& node);
std::vector<Inferred> infer_recurrent(const OnnxView& node);

}  // namespace berth
