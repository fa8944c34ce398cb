// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/wire_fields.h"

#include "files/protobuf/wire.h"

namespace berth {

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
