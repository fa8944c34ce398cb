// SPDX-License-Identifier: Apache-2.0
// Shape: up to six dimensions in place, so that a million of them need no allocations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>

#include "base/check.h"

namespace berth {

class Shape {
 public:
  static constexpr int kMaxDims = 6;

  constexpr Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) {
    for (const std::int64_t dim : dims) push_back(dim);
  }

  [[nodiscard]] int rank() const { return rank_; }
  // Negative positions count from the end, as in array languages.
  [[nodiscard]] std::int64_t operator[](int i) const { return dims_[at(i)]; }
  [[nodiscard]] std::int64_t& operator[](int i) { return dims_[at(i)]; }
  [[nodiscard]] const std::int64_t* begin() const { return dims_.data(); }
  [[nodiscard]] const std::int64_t* end() const { return dims_.data() + rank_; }
  bool operator==(const Shape& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

  void push_back(std::int64_t dim) {
    BERTH_CHECK(rank_ < kMaxDims && dim > 0);
    dims_[static_cast<std::size_t>(rank_++)] = dim;
  }
  [[nodiscard]] Shape with(int i, std::int64_t dim) const {
    Shape copy = *this;
    copy[i] = dim;
    return copy;
  }
  [[nodiscard]] Shape without_first() const {
    Shape rest;
    for (int i = 1; i < rank_; ++i) rest.push_back((*this)[i]);
    return rest;
  }

  // Number of elements; the largest integer when it does not fit, which GraphBuilder then refuses with a clear line.
  [[nodiscard]] std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : *this) {
      if (__builtin_mul_overflow(product, dim, &product)) return std::numeric_limits<std::int64_t>::max();
    }
    return product;
  }

 private:
  [[nodiscard]] std::size_t at(int i) const {
    const int position = i < 0 ? i + rank_ : i;
    BERTH_CHECK(position >= 0 && position < rank_);
    return static_cast<std::size_t>(position);
  }

  std::array<std::int64_t, kMaxDims> dims_{};
  int rank_ = 0;
};

}  // namespace berth
