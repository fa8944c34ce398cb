// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/proto_text.h"

#include <gtest/gtest.h>

#include <array>

#include "files/protobuf/wire.h"
#include "support/wire_writer.h"

namespace berth {
namespace {

using std::string_literals::operator""s;

std::optional<std::int64_t> colour(std::string_view name) {
  return name == "RED" ? std::optional<std::int64_t>(4) : std::nullopt;
}

extern const ProtoMessage kTree;
const std::array kTreeFields{ProtoField{"name", 1, ProtoKind::kBytes},
                             ProtoField{"size", 2, ProtoKind::kInteger},
                             ProtoField{"tree", 3, ProtoKind::kMessage, &kTree},
                             ProtoField{"ripe", 4, ProtoKind::kBoolean},
                             ProtoField{"colour", 5, ProtoKind::kEnum, nullptr, &colour},
                             ProtoField{"weight", 6, ProtoKind::kFloat}};
const ProtoMessage kTree{"tree", kTreeFields};

std::string wire_of(std::string_view text) {
  const auto bytes = text_to_wire(text, kTree);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : "";
}
std::string proto_text_error(std::string_view text) {
  const auto bytes = text_to_wire(text, kTree);
  return bytes ? "fine" : bytes.error().message;
}

TEST(ProtoText, ValuesOfEveryKind) {
  EXPECT_EQ(
      wire_of("name: 'oak' size: -2 ripe: true colour: RED weight: 1.5"),
      WireWriter().bytes(1, "oak").varint(2, ~std::uint64_t{1}).varint(4, 1).varint(5, 4).fixed32(6, 0x3fc00000).str());
  EXPECT_EQ(wire_of("size: 0x1F, size: 017; size: [1, 2] colour: 9"),
            WireWriter().varint(2, 31).varint(2, 15).varint(2, 1).varint(2, 2).varint(5, 9).str());
  EXPECT_EQ(wire_of("weight: -1e0f weight: 1e-1 weight: inf"),
            WireWriter().fixed32(6, 0xbf800000).fixed32(6, 0x3dcccccd).fixed32(6, 0x7f800000).str());
}

TEST(ProtoText, MessagesNestInBracesOrAngles) {
  const WireWriter leaf = WireWriter().bytes(1, "leaf");
  const WireWriter branch = WireWriter().message(3, leaf).varint(2, 1);
  EXPECT_EQ(wire_of("tree { tree < name: \"leaf\" > size: 1 }"), WireWriter().message(3, branch).str());
  EXPECT_EQ(wire_of("tree: { tree: [{name: 'leaf'}] size: 1 }"), WireWriter().message(3, branch).str());
}

TEST(ProtoText, StringsAreUnescapedAndJoined) {
  EXPECT_EQ(wire_of(R"(name: "a\n\t\\\"\'\000\x41\101" 'b"' # comment
                       "\u00e9")"),
            WireWriter().bytes(1, "a\n\t\\\"'\0AAb\"\xc3\xa9"s).str());
}

TEST(ProtoText, UnknownFieldsAreSkipped) {
  EXPECT_EQ(wire_of("other { deep { x: 'a' y: [1, {z: -2}] } } [type.org/x] { a: 1 } size: 3"),
            WireWriter().varint(2, 3).str());
}

TEST(ProtoText, MistakesNameTheLine) {
  EXPECT_EQ(proto_text_error("size: 1\nsize: red"), "line 2: \"red\" is no value of 'size'");
  EXPECT_EQ(proto_text_error("name: 3"), "line 1: expected a string, found \"3\"");
  EXPECT_EQ(proto_text_error("tree: 3"), "line 1: expected a message, found \"3\"");
  EXPECT_EQ(proto_text_error("size: 'a'"), "line 1: 'size' takes no string");
  EXPECT_EQ(proto_text_error("size {}"), "line 1: 'size' takes one value, no message");
  EXPECT_EQ(proto_text_error("tree {\n"), "line 2: expected '}', found the end");
  EXPECT_EQ(proto_text_error("name: \"a\nb\""), "line 1: a string does not end");
  EXPECT_EQ(proto_text_error("name \"a\""), "line 1: expected ':' or '{', found \"a\"");
  EXPECT_EQ(proto_text_error(R"(name: "\q")"), "line 1: a string of 'name' has an escape that does not exist");
  EXPECT_EQ(proto_text_error("size: 99999999999999999999"), "line 1: \"99999999999999999999\" is no value of 'size'");
  EXPECT_EQ(proto_text_error("weight: 1x"), "line 1: \"1x\" is no number");
  EXPECT_EQ(proto_text_error("size: 1 }"), "line 1: expected the name of a field, found \"}\"");
  EXPECT_EQ(proto_text_error("size: @"), "line 1: unexpected character \"@\"");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "tree {";
  EXPECT_EQ(proto_text_error(deep), "line 1: messages are nested more than 64 deep");
  deep.clear();
  for (int i = 0; i < 100'000; ++i) deep += "other {";
  EXPECT_EQ(proto_text_error(deep), "line 1: messages are nested more than 64 deep");
}

TEST(ProtoSchema, ChecksBytesAllTheWayDown) {
  const auto check = [](const WireWriter& writer) {
    const Status status = check_wire(writer.str(), kTree);
    return status ? "fine" : status.error().message;
  };
  EXPECT_EQ(check(WireWriter().bytes(1, "oak").packed(2, {1, -2}).fixed64(9, 1)), "fine");
  EXPECT_EQ(check(WireWriter().message(3, WireWriter().varint(1, 5))),
            "damaged protobuf data: tree.name has another type");
  EXPECT_EQ(check(WireWriter().bytes(2, "\xff")), "damaged protobuf data: tree.size has another type");
  EXPECT_NE(check(WireWriter().bytes(3, "\x0a\x09")), "fine") << "cut off inside";
  WireWriter deep;
  for (int i = 0; i < 70; ++i) deep = WireWriter().message(3, deep);
  EXPECT_EQ(check(deep), "tree: messages are nested more than 64 deep");
}

TEST(ProtoText, TellsTheFirstField) {
  EXPECT_EQ(first_field_of_text("# a comment\n node {"), "node");
  EXPECT_EQ(first_field_of_text(""), "");
  EXPECT_EQ(first_field_of_text("{"), "");
}

}  // namespace
}  // namespace berth
