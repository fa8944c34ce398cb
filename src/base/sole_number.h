// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace berth {

// Looks at numbers one after the other (the successors of an op, say) and knows whether all were the same.
class SoleNumber {
 public:
  void see(std::uint32_t number) { number_ = number_ == kNone || number_ == number ? number : kMany; }
  [[nodiscard]] bool exists() const { return number_ < kMany; }
  [[nodiscard]] bool is(std::uint32_t number) const { return number_ == number; }
  [[nodiscard]] std::uint32_t number() const { return number_; }  // only if exists()

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU, kMany = 0xfffffffeU;
  std::uint32_t number_ = kNone;
};

}  // namespace berth
