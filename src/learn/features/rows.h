// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/nn/tensor.h"

namespace berth::learn {

struct Rows {  // row after row
  std::size_t count = 0, width = 0;
  std::vector<float> values;
  Rows(std::size_t rows, std::size_t columns) : count(rows), width(columns), values(rows * columns) {}
  [[nodiscard]] float& at(std::size_t row, std::size_t column) { return values[row * width + column]; }
  [[nodiscard]] float at(std::size_t row, std::size_t column) const { return values[row * width + column]; }
};

// A copy on the CPU.
inline Tensor as_tensor(const Rows& rows) {
  return tensor_of(rows.values, {static_cast<std::int64_t>(rows.count), static_cast<std::int64_t>(rows.width)});
}

}  // namespace berth::learn
