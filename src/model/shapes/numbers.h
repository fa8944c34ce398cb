// SPDX-License-Identifier: Apache-2.0
// Whole numbers that may be unknown, for contents that models compute on their way to a shape. What overflows is
// unknown.
#pragma once

#include <cstdint>
#include <optional>

namespace berth {

using Number = std::optional<std::int64_t>;

inline Number sum_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Number() : Number(sum);
}

inline Number difference_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? Number() : Number(difference);
}

inline Number product_of_numbers(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Number() : Number(product);
}

}  // namespace berth
