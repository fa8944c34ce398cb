// SPDX-License-Identifier: Apache-2.0
// ONNX files (IR versions 3 to the newest): nodes, values, weights without their bytes. Local functions are written
// out; If, Loop and Scan keep their subgraphs as bodies, and lower() decides what to make of them
// (model/shapes/onnx/shapes.h). Other nodes with subgraphs are refused by name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace berth {

// `bytes` is a ModelProto; what it says of weights is skipped, so a mapped file stays on disk.
Result<Model> read_onnx_model(std::string_view bytes, std::string title);

}  // namespace berth
