// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/proto_schema.h"

#include <algorithm>

#include "files/protobuf/wire.h"

namespace berth {
namespace {

// Whether packed numbers end where a number ends and none is longer than 64 bits.
bool are_packed_varints(std::string_view bytes) {
  constexpr int kLongest = 10;
  int length = 0;
  for (const char c : bytes) {
    if (++length > kLongest) return false;
    if (static_cast<unsigned char>(c) < 0x80) length = 0;
  }
  return length == 0;
}

bool fits(const WireReader& reader, ProtoKind kind) {
  const bool packed = reader.type() == WireType::kBytes;
  switch (kind) {
    case ProtoKind::kMessage:
    case ProtoKind::kBytes:
      return packed;
    case ProtoKind::kInteger:
    case ProtoKind::kBoolean:
    case ProtoKind::kEnum:
      return packed ? are_packed_varints(reader.bytes()) : reader.type() == WireType::kVarint;
    case ProtoKind::kFloat:
      return packed ? reader.bytes().size() % 4 == 0 : reader.type() == WireType::kFixed32;
  }
  return false;
}

}  // namespace

const ProtoField* ProtoMessage::find(std::uint32_t number) const {
  const auto found = std::ranges::find(fields, number, &ProtoField::number);
  return found != fields.end() ? &*found : nullptr;
}

const ProtoField* ProtoMessage::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &ProtoField::name);
  return found != fields.end() ? &*found : nullptr;
}

Status check_wire(std::string_view bytes, const ProtoMessage& message, int depth) {
  if (depth > kMaxProtoDepth)
    return bad_input("{}: messages are nested more than {} deep", message.name, kMaxProtoDepth);
  WireReader reader(bytes);
  while (reader.next()) {
    const ProtoField* field = message.find(reader.field());
    if (field == nullptr) continue;
    if (!fits(reader, field->kind))
      return bad_input("damaged protobuf data: {}.{} has another type", message.name, field->name);
    if (field->kind == ProtoKind::kMessage)
      BERTH_RETURN_IF_ERROR(check_wire(reader.bytes(), *field->message, depth + 1));
  }
  if (reader.error()) return within(message.name, *reader.error());
  return {};
}

}  // namespace berth
