// SPDX-License-Identifier: Apache-2.0
#include "io/wire.h"

#include <gtest/gtest.h>

#include "support/wire_writer.h"

namespace berth {
namespace {

TEST(WireReader, GivesFieldsInTheOrderOfTheBytes) {
  const std::string bytes = Message().number(1, 300).text(2, "abc").real(3, 1.5F).number(4, -1).bytes();
  WireReader field(bytes);
  ASSERT_TRUE(field.next());
  EXPECT_TRUE(field.is(1, WireType::kVarint));
  EXPECT_EQ(field.varint(), 300U);
  ASSERT_TRUE(field.next());
  EXPECT_TRUE(field.is(2, WireType::kBytes));
  EXPECT_EQ(field.bytes(), "abc");
  ASSERT_TRUE(field.next());
  EXPECT_TRUE(field.is(3, WireType::kFixed32));
  EXPECT_EQ(field.fixed32(), 0x3fc00000U);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(static_cast<std::int64_t>(field.varint()), -1);
  EXPECT_FALSE(field.next());
  EXPECT_FALSE(field.error().has_value());
}

TEST(WireReader, SaysWhatIsDamaged) {
  const auto message_of = [](std::string_view bytes) -> std::string {
    WireReader field(bytes);
    while (field.next()) {
    }
    return field.error() ? field.error()->message : "";
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(message_of("\x08"sv), "damaged protobuf data: a number is cut off");
  EXPECT_EQ(message_of("\x12\x05"
                       "ab"sv),
            "damaged protobuf data: a field is longer than what holds it");
  EXPECT_EQ(message_of("\x0b"sv), "damaged protobuf data: a field has a type that does not exist");
  EXPECT_EQ(message_of("\x00\x01"sv), "damaged protobuf data: a field has no valid number");
  EXPECT_EQ(message_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            "damaged protobuf data: a number is longer than 64 bits");
  EXPECT_EQ(message_of("\x0d\x01\x02"sv), "damaged protobuf data: a number is cut off");
}

TEST(WireReader, ReadsRepeatedNumbersPackedOrNot) {
  const std::string bytes = Message().number(7, 5).packed(7, {300, -2}).number(7, 0).bytes();
  std::vector<std::int64_t> numbers;
  for (WireReader field(bytes); field.next();) ASSERT_TRUE(append_integers(field, numbers));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{5, 300, -2, 0}));
  const std::string cut = Message().text(7, "\x81").bytes();
  WireReader field(cut);
  ASSERT_TRUE(field.next());
  EXPECT_FALSE(append_integers(field, numbers));
}

}  // namespace
}  // namespace berth
