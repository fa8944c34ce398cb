// SPDX-License-Identifier: Apache-2.0
// Priorities as whole numbers.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/batch/loop/portable.h"

namespace berth {

// Orders like the priority: higher priority, greater number. Both zeros are one.
BERTH_PORTABLE std::uint64_t urgency_of(double priority) {
#ifdef __CUDA_ARCH__
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(priority + 0.0));
#else
  const auto bits = std::bit_cast<std::uint64_t>(priority + 0.0);
#endif
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace berth
