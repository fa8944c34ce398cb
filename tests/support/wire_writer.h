// SPDX-License-Identifier: Apache-2.0
// Bytes in protobuf's wire format, for tests: Message().text(3, "conv1").number(1, 8).message(7, graph).bytes()
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class Message {
 public:
  Message& number(std::uint32_t field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& inner) { return text(field, inner.bytes_); }
  Message& real(std::uint32_t field, float value) {
    key(field, 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
    return *this;
  }
  Message& packed(std::uint32_t field, const std::vector<std::int64_t>& values) {
    Message inner;
    for (const std::int64_t value : values) inner.varint(static_cast<std::uint64_t>(value));
    return text(field, inner.bytes_);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t type) { varint(std::uint64_t{field} << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace berth
