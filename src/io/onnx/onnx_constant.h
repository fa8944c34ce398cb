// SPDX-License-Identifier: Apache-2.0
// What is in memory from the start: initialisers, and the values of Constant nodes.
#pragma once

#include <optional>

#include "io/onnx/onnx_node.h"
#include "model/model.h"

namespace berth {

// Weights are what training made: numbers with a point, or quantised matrices. The rest says shapes and indices.
Role role_of_initializer(const Value& value);

// What a Constant node holds; its shape and type where the file says them. Nothing if the node is not one.
std::optional<Value> value_of_constant(const OnnxNode& node);

}  // namespace berth
