// SPDX-License-Identifier: Apache-2.0
// Contents of small whole-number tensors that ONNX models compute on their way to a shape.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/onnx_view.h"

namespace berth {

// Contents of the first output, if they follow from what is known of the inputs.
std::optional<std::vector<std::int64_t>> compute_contents(const OnnxView& node);

}  // namespace berth
