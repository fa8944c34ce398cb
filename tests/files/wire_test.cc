// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/wire.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/wire_writer.h"

namespace berth {
namespace {

using std::string_literals::operator""s;

std::string wire_error(const std::string& bytes) {
  WireReader reader(bytes);
  while (reader.next()) {
  }
  return reader.error() ? reader.error()->message : "";
}

TEST(Wire, ReadsFieldsOfEveryType) {
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::string bytes = WireWriter()
                                .varint(1, 300)
                                .fixed64(2, 0x0123456789abcdef)
                                .bytes(3, "text")
                                .fixed32(536870911, 0xdeadbeef)
                                .varint(5, kLargest)
                                .bytes(6, "")
                                .str();
  WireReader reader(bytes);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(1, WireType::kVarint));
  EXPECT_EQ(reader.varint(), 300U);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(2, WireType::kFixed64));
  EXPECT_EQ(reader.fixed64(), 0x0123456789abcdefU);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(3, WireType::kBytes));
  EXPECT_EQ(reader.bytes(), "text");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 536870911U);
  EXPECT_EQ(reader.type(), WireType::kFixed32);
  EXPECT_EQ(reader.fixed32(), 0xdeadbeefU);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.varint(), kLargest);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.bytes(), "");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.error());
  EXPECT_FALSE(reader.next()) << "stays at the end";
}

TEST(Wire, BytesPointIntoTheMessage) {
  const std::string bytes = WireWriter().bytes(1, "weights").str();
  WireReader reader(bytes);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.bytes().data(), bytes.data() + 2);
}

TEST(Wire, RefusesDamage) {
  EXPECT_EQ(wire_error(""), "");
  EXPECT_NE(wire_error("\x08"), "") << "the value is missing";
  EXPECT_NE(wire_error("\x08\x80"), "") << "the value is cut off";
  EXPECT_NE(wire_error("\x09"
                       "1234567"),
            "")
      << "seven bytes of eight";
  EXPECT_NE(wire_error("\x0d"
                       "123"),
            "")
      << "three bytes of four";
  EXPECT_NE(wire_error("\x0a\x05"
                       "1234"),
            "")
      << "longer than the message";
  EXPECT_NE(wire_error("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "") << "a length of 2^64 - 1";
  EXPECT_NE(wire_error("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), "") << "a number without an end";
  EXPECT_NE(wire_error("\x0b"), "") << "groups";
  EXPECT_NE(wire_error("\x0e"), "") << "type 6";
  EXPECT_NE(wire_error("\x00\x00"s), "") << "field 0";
}

TEST(Wire, EveryCutOfAMessageIsSafe) {
  const std::string bytes = WireWriter().varint(1, 1 << 20).bytes(2, "abc").fixed32(3, 7).fixed64(4, 9).str();
  std::size_t whole = 0;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    if (wire_error(bytes.substr(0, length)).empty()) ++whole;
  }
  EXPECT_EQ(whole, 5U) << "cuts between fields";
}

TEST(Wire, RepeatedNumbersMayBePackedOrNot) {
  const std::string bytes = WireWriter().varint(1, 5).packed(1, {6, -1, 300}).packed(1, {}).str();
  std::vector<std::int64_t> numbers;
  for (WireReader reader(bytes); reader.next();) EXPECT_TRUE(append_integers(reader, numbers));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{5, 6, -1, 300}));
  const std::string cut = WireWriter().bytes(1, "\x80").str();
  WireReader reader(cut);
  ASSERT_TRUE(reader.next());
  EXPECT_FALSE(append_integers(reader, numbers));
}

TEST(Wire, FloatsMayBePackedOrNot) {
  const std::string bytes = WireWriter().fixed32(1, 0x3fc00000).bytes(1, "\x00\x00\x80\x3f\x00\x00\x00\xc0"s).str();
  std::vector<double> numbers;
  for (WireReader reader(bytes); reader.next();) EXPECT_TRUE(append_floats(reader, numbers));
  EXPECT_EQ(numbers, (std::vector<double>{1.5, 1.0, -2.0}));
}

}  // namespace
}  // namespace berth
