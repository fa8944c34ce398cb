// SPDX-License-Identifier: Apache-2.0
// The values of Constant nodes.
#pragma once

#include <optional>

#include "import/onnx/onnx_node.h"
#include "model/model.h"

namespace berth {

// What a Constant node holds; its shape and type where the file says them. Nothing if the node is not one.
std::optional<Value> value_of_constant(const OnnxNode& node);

}  // namespace berth
