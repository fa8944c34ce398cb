// SPDX-License-Identifier: Apache-2.0
// ONNX files (IR versions 3 to the newest): nodes, values, weights without their bytes. Local functions are written
// out; nodes with subgraphs (If, Loop, Scan) are refused by name, since how often they run is not in the file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace berth {

// `bytes` is a ModelProto; what it says of weights is skipped, so a mapped file stays on disk.
Result<Model> read_onnx_model(std::string_view bytes, std::string title);

}  // namespace berth
