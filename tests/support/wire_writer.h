// SPDX-License-Identifier: Apache-2.0
// Messages in protobuf's wire format, for tests of readers: WireWriter().varint(1, 8).bytes(2, "name").str().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class WireWriter {
 public:
  WireWriter& varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    number(value);
    return *this;
  }
  WireWriter& fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    return little_endian(value, 8);
  }
  WireWriter& fixed32(std::uint32_t field, std::uint32_t value) {
    key(field, 5);
    return little_endian(value, 4);
  }
  WireWriter& bytes(std::uint32_t field, std::string_view contents) {
    key(field, 2);
    number(contents.size());
    bytes_ += contents;
    return *this;
  }
  WireWriter& message(std::uint32_t field, const WireWriter& contents) { return bytes(field, contents.str()); }
  WireWriter& packed(std::uint32_t field, const std::vector<std::int64_t>& values) {
    WireWriter contents;
    for (const std::int64_t value : values) contents.number(static_cast<std::uint64_t>(value));
    return message(field, contents);
  }
  [[nodiscard]] const std::string& str() const { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t type) { number(std::uint64_t{field} << 3 | type); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  WireWriter& little_endian(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
    return *this;
  }

  std::string bytes_;
};

}  // namespace berth
