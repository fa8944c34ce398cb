// SPDX-License-Identifier: Apache-2.0
// Our names of data types and those of libtorch.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "base/kinds.h"

namespace berth::exec {

inline std::optional<c10::ScalarType> torch_dtype(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return c10::kDouble;
    case DType::kF32:
      return c10::kFloat;
    case DType::kF16:
      return c10::kHalf;
    case DType::kBF16:
      return c10::kBFloat16;
    case DType::kI64:
      return c10::kLong;
    case DType::kI32:
      return c10::kInt;
    case DType::kI16:
      return c10::kShort;
    case DType::kI8:
      return c10::kChar;
    case DType::kU8:
      return c10::kByte;
    case DType::kBool:
      return c10::kBool;
    case DType::kC64:
      return c10::kComplexFloat;
    case DType::kC128:
      return c10::kComplexDouble;
    default:
      return std::nullopt;
  }
}

}  // namespace berth::exec
