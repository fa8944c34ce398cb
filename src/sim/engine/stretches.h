// SPDX-License-Identifier: Apache-2.0
// Stretches: a set of small numbers, of which runs and gaps are found fast.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace berth {

class Stretches {
 public:
  static constexpr std::size_t kMost = 128;

  // Both included.
  void add(std::size_t first, std::size_t last) {
    for (std::size_t word = first / kBits; word <= last / kBits; ++word) {
      const std::size_t begin = std::max(first, word * kBits), end = std::min(last, word * kBits + kBits - 1);
      words_[word] |= (kAll << (begin % kBits)) & (kAll >> (kBits - 1 - end % kBits));
    }
  }
  [[nodiscard]] bool has(std::size_t one) const { return ((words_[one / kBits] >> (one % kBits)) & 1) != 0; }
  // The first one that is not below; kMost if there is none.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    for (std::size_t word = from / kBits; word < words_.size(); ++word, from = word * kBits) {
      const std::uint64_t rest = words_[word] & (kAll << (from % kBits));
      if (rest != 0) return word * kBits + static_cast<std::size_t>(std::countr_zero(rest));
    }
    return kMost;
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  std::array<std::uint64_t, kMost / kBits> words_{};
};

}  // namespace berth
