// SPDX-License-Identifier: Apache-2.0
// WireReader: one message in protobuf's wire format, field by field, without a schema and without copying: what is not
// asked for is skipped by its length, so the weights inside a model are never touched. All lengths are checked.
//
//   for (WireReader field(bytes); field.next();)
//     if (field.is(3, WireType::kBytes)) name = field.bytes();
//
// A reader that met damaged bytes ends early; error() says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Moves to the next field; false at the end, or where the bytes make no sense.
  bool next();

  [[nodiscard]] std::uint32_t field() const { return field_; }
  [[nodiscard]] WireType type() const { return type_; }
  [[nodiscard]] bool is(std::uint32_t field, WireType type) const { return field_ == field && type_ == type; }

  [[nodiscard]] std::uint64_t varint() const { return number_; }
  [[nodiscard]] std::uint32_t fixed32() const { return static_cast<std::uint32_t>(number_); }
  [[nodiscard]] std::uint64_t fixed64() const { return number_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::string_view whole() const { return whole_; }  // the field as it stands in the message, key and all

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  bool read_value();
  bool read_varint(std::uint64_t& value);
  bool read_fixed(std::size_t width);
  bool fail(std::string_view what);

  std::string_view rest_, bytes_, whole_;
  std::uint64_t number_ = 0;
  std::uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  std::optional<Error> error_;
};

// Appends the whole numbers of a field that repeats: one of them, or many packed into bytes. False if damaged.
bool append_integers(const WireReader& field, std::vector<std::int64_t>& numbers);
// The same for fields of 32-bit floats.
bool append_floats(const WireReader& field, std::vector<double>& numbers);

// For writing: a whole number; the key and length in front of a field of bytes, and such a field.
void append_varint(std::uint64_t value, std::string& bytes);
std::string wire_prefix(std::uint32_t field, std::size_t length);
std::string wire_field(std::uint32_t field, std::string_view bytes);

// Of a whole message: the bytes of the first field of that number, or the last whole number; nothing and 0 if there is
// none.
std::string_view first_bytes(std::string_view message, std::uint32_t number);
std::uint64_t last_number(std::string_view message, std::uint32_t number);

}  // namespace berth
