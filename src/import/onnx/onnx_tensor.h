// SPDX-License-Identifier: Apache-2.0
// TensorProto and TypeProto of ONNX: types and shapes, and the contents of small whole-number tensors.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace berth {

// Name, type, shape and, if it is small and holds whole numbers, contents.
Result<Value> read_onnx_tensor(std::string_view bytes);

// A SparseTensorProto, as large as the runtimes make it: with its zeros.
Result<Value> read_onnx_sparse_tensor(std::string_view bytes);

// Name, type and shape of a ValueInfoProto; a value that is no tensor (a sequence, a map) has neither.
Result<Value> read_onnx_value_info(std::string_view bytes);

}  // namespace berth
