// SPDX-License-Identifier: Apache-2.0
// TensorProto and TypeProto of ONNX: types and shapes, and the contents of small whole-number tensors.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace berth {

std::optional<DType> dtype_of_onnx(std::int64_t elem_type);

// Name, type, shape and, if it is small and of whole numbers, contents.
Result<Value> read_onnx_tensor(std::string_view bytes);

// Name, type and shape of a ValueInfoProto; a value that is no tensor (a sequence, a map) has neither.
Result<Value> read_onnx_value_info(std::string_view bytes);

}  // namespace berth
