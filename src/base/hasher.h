// SPDX-License-Identifier: Apache-2.0
// Hasher: what ties files to each other, the same on every platform.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

// Two independent 64-bit lanes of multiply and rotate. Not cryptographic: it guards against mix-ups, not against
// malice.
class Hasher {
 public:
  void add(std::uint64_t word) {
    a_ = std::rotl((a_ ^ word) * 0x9e3779b97f4a7c15ULL, 29);
    b_ = std::rotl((b_ + word) * 0xc2b2ae3d27d4eb4fULL, 31) ^ word;
  }
  void add(std::string_view text) {
    add(text.size());
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(8, text.size()))) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < 8 && i < text.size(); ++i) {  // byte by byte: the same on every platform
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
      }
      add(word);
    }
  }
  // 32 hexadecimal digits.
  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}{:016x}", finish(a_), finish(b_)); }

 private:
  static std::uint64_t finish(std::uint64_t x) {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return x ^ (x >> 32);
  }
  std::uint64_t a_ = 0x243f6a8885a308d3ULL, b_ = 0x13198a2e03707344ULL;
};

}  // namespace berth
