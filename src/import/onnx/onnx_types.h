// SPDX-License-Identifier: Apache-2.0
// The types of all values in the main graph of an ONNX file: as the file states them, else by the types of the nodes
// that make them, through the subgraphs and local functions that those call.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "import/onnx/onnx_type_rules.h"

namespace berth {

using OnnxTypes = std::unordered_map<std::string, OnnxType>;  // by name; only those that are known

// `bytes` is a ModelProto that read_onnx_model() takes.
Result<OnnxTypes> find_onnx_types(std::string_view bytes);

}  // namespace berth
