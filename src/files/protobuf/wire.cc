// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/wire.h"

#include <bit>

namespace berth {
namespace {

constexpr int kVarintBits = 64;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

}  // namespace

bool WireReader::fail(std::string_view what) {
  error_ = bad_input("damaged protobuf data: {}", what);
  rest_ = {};
  return false;
}

bool WireReader::read_varint(std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < kVarintBits; shift += 7) {
    if (rest_.empty()) return fail("a number is cut off");
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return fail("a number is longer than 64 bits");
}

bool WireReader::read_fixed(std::size_t width) {
  if (rest_.size() < width) return fail("a number is cut off");
  number_ = little_endian(rest_.substr(0, width));
  rest_.remove_prefix(width);
  return true;
}

bool WireReader::next() {
  if (rest_.empty()) return false;
  const char* const begin = rest_.data();
  if (!read_value()) return false;
  whole_ = {begin, static_cast<std::size_t>(rest_.data() - begin)};
  return true;
}

bool WireReader::read_value() {
  std::uint64_t key = 0;
  if (!read_varint(key)) return false;
  if (key >> 3 == 0 || key >> 3 > 0x1fffffff) return fail("a field has no valid number");
  field_ = static_cast<std::uint32_t>(key >> 3);
  type_ = static_cast<WireType>(key & 7);
  switch (type_) {
    case WireType::kVarint:
      return read_varint(number_);
    case WireType::kFixed64:
      return read_fixed(8);
    case WireType::kFixed32:
      return read_fixed(4);
    case WireType::kBytes: {
      std::uint64_t length = 0;
      if (!read_varint(length)) return false;
      if (length > rest_.size()) return fail("a field is longer than what holds it");
      bytes_ = rest_.substr(0, length);
      rest_.remove_prefix(length);
      return true;
    }
  }
  return fail("a field has a type that does not exist");
}

bool append_integers(const WireReader& field, std::vector<std::int64_t>& numbers) {
  if (field.type() == WireType::kVarint) {
    numbers.push_back(static_cast<std::int64_t>(field.varint()));
    return true;
  }
  if (field.type() != WireType::kBytes) return false;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : field.bytes()) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (shift >= kVarintBits) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    numbers.push_back(static_cast<std::int64_t>(value));
    value = 0;
    shift = 0;
  }
  return shift == 0;
}

bool append_floats(const WireReader& field, std::vector<double>& numbers) {
  const auto to_double = [](std::uint64_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  };
  if (field.type() == WireType::kFixed32) {
    numbers.push_back(to_double(field.fixed32()));
    return true;
  }
  if (field.type() != WireType::kBytes || field.bytes().size() % 4 != 0) return false;
  for (std::size_t at = 0; at < field.bytes().size(); at += 4)
    numbers.push_back(to_double(little_endian(field.bytes().substr(at, 4))));
  return true;
}

void append_varint(std::uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

std::string wire_prefix(std::uint32_t field, std::size_t length) {
  std::string prefix;
  append_varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::kBytes), prefix);
  append_varint(length, prefix);
  return prefix;
}

std::string wire_field(std::uint32_t field, std::string_view bytes) {
  return wire_prefix(field, bytes.size()).append(bytes);
}

std::string_view first_bytes(std::string_view message, std::uint32_t number) {
  for (WireReader field(message); field.next();) {
    if (field.is(number, WireType::kBytes)) return field.bytes();
  }
  return {};
}

std::uint64_t last_number(std::string_view message, std::uint32_t number) {
  std::uint64_t found = 0;
  for (WireReader field(message); field.next();) {
    if (field.is(number, WireType::kVarint)) found = field.varint();
  }
  return found;
}

}  // namespace berth
