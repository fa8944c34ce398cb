// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/wire_parts.h"

#include <algorithm>
#include <iterator>

#include "files/protobuf/wire.h"

namespace berth {

void WireParts::keep(std::string_view stretch) {
  const auto offset = static_cast<std::size_t>(stretch.data() - file_.data());
  size_ += stretch.size();
  const bool continues =
      !parts_.empty() && parts_.back().bytes.empty() && parts_.back().offset + parts_.back().size == offset;
  if (continues) {
    parts_.back().size += stretch.size();
  } else {
    parts_.push_back({.offset = offset, .size = stretch.size()});
  }
}

void WireParts::add(std::string bytes) {
  size_ += bytes.size();
  if (!bytes.empty()) parts_.push_back({.bytes = std::move(bytes)});
}

void WireParts::add(std::uint32_t field, WireParts message) {
  add(wire_prefix(field, message.size_));
  size_ += message.size_;
  std::ranges::move(message.parts_, std::back_inserter(parts_));
}

std::size_t size_of(const std::vector<FilePart>& parts) {
  std::size_t size = 0;
  for (const FilePart& part : parts) size += part.bytes.empty() ? part.size : part.bytes.size();
  return size;
}

std::string wire_varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
  return bytes;
}

std::string wire_number(std::uint32_t field, std::uint64_t number) {
  return wire_varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::kVarint)) + wire_varint(number);
}

}  // namespace berth
