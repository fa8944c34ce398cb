// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/kinds.h"

namespace berth {

// Numbers with a point, real ones.
constexpr bool is_floating(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF64 ||
         dtype == DType::kF8 || dtype == DType::kTF32;
}

}  // namespace berth
