// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/kinds.h"

namespace berth {

// By the number that TensorProto.DataType gives it. Unsigned types count as the signed ones of their size, numbers of 2
// bits as those of 4; strings have no size that matters, and none here.
std::optional<DType> dtype_of_onnx(std::int64_t number);

}  // namespace berth
