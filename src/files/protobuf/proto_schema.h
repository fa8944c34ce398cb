// SPDX-License-Identifier: Apache-2.0
// The part of a protobuf schema that a reader needs, as tables: names and numbers of the fields it looks at. Fields
// that are not in a table are skipped, in binary files as well as in text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace berth {

enum class ProtoKind : std::uint8_t { kMessage, kBytes, kInteger, kBoolean, kEnum, kFloat };

struct ProtoMessage;

struct ProtoField {
  std::string_view name;
  std::uint32_t number = 0;
  ProtoKind kind = ProtoKind::kBytes;
  const ProtoMessage* message = nullptr;                                  // of a kMessage
  std::optional<std::int64_t> (*enum_value)(std::string_view) = nullptr;  // of a kEnum: its number by its name
};

struct ProtoMessage {
  std::string_view name;
  std::span<const ProtoField> fields;

  [[nodiscard]] const ProtoField* find(std::uint32_t number) const;
  [[nodiscard]] const ProtoField* find(std::string_view field) const;
};

inline constexpr int kMaxProtoDepth = 64;  // of messages in messages

// Whether the bytes are such a message all the way down: lengths, wire types and depth. Whoever reads it afterwards
// need not check again. Bytes of strings are not looked at.
Status check_wire(std::string_view bytes, const ProtoMessage& message, int depth = 0);

}  // namespace berth
