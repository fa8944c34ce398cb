// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_reader.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

// The error of opening a text and parsing all that is in "x", element by element where it is an array.
std::string json_error(std::string text) {
  auto document = JsonDocument::open(std::move(text));
  if (!document) return document.error().message;
  const auto value = document->member("x");
  if (!value) return value.error().message;
  if (!value->is_array()) return "fine";
  const Status status = document->for_each("x", [](const JsonValue&) { return Status(); });
  return status ? "fine" : status.error().message;
}

TEST(JsonDocument, ReadsMembersInAnyOrder) {
  auto document = JsonDocument::open("\xef\xbb\xbf {\"b\": [1, \"two\", {\"c\": null}] , \"\\u0061\" : \"text\"}\n");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(*document->string("a"), "text");
  std::size_t count = 0;
  ASSERT_TRUE(document->for_each("b", [&](const JsonValue&) { return ++count, Status(); }));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(document->member("c").error().message, "\"c\" is missing");
}

TEST(JsonDocument, SyntaxErrorsSayWhere) {
  EXPECT_EQ(json_error(""), "it is empty");
  EXPECT_EQ(json_error(" \n"), "it is empty");
  EXPECT_EQ(json_error("[1]"), "line 1: expected '{' at the beginning: this is no JSON object");
  EXPECT_EQ(json_error("{\"x\": 1"), "line 1: the JSON text ends too early; is the file truncated?");
  EXPECT_EQ(json_error("{\n\"x\n"), "line 2: a string is not closed; is the file truncated?");
  EXPECT_EQ(json_error("{\"x\": [1, {\"a\": 2}"), "line 1: the JSON text ends too early; is the file truncated?");
  EXPECT_EQ(json_error("{\"x\" 1}"), "line 1: expected ':' after a member's name");
  EXPECT_EQ(json_error("{\"x\": 1 \"y\": 2}"), "line 1: expected '}' after the member \"x\"");
  EXPECT_EQ(json_error("{\"x\": 1} 2"), "line 1: there is more text after the end of the root object");
  EXPECT_EQ(json_error("{\"x\": ,}"), "line 1: expected a value");
  EXPECT_EQ(json_error("{\"x\": 1,\n \"x\": 2}"), "line 2: the member \"x\" is there twice");
  EXPECT_EQ(json_error("{\"x\": tru}"), "line 1: x: expected true, false or null");
  EXPECT_EQ(json_error("{\"x\": [1, 2\n 3]}"), "line 1: x: the JSON is malformed");
  EXPECT_EQ(json_error("{\"x\": [1,]}"), "line 1: x: the JSON is malformed");
  EXPECT_EQ(json_error("{\"x\": \"\xff\"}"), "line 1: x: the text is not valid UTF-8");
  EXPECT_EQ(json_error("{\"x\": \"a\tb\"}"), "line 1: x: a string holds a control character that is not escaped");
  EXPECT_EQ(json_error("{\"x\": 1e999}"), "line 1: x: a number is malformed or out of range");
  EXPECT_EQ(json_error("{\"x\": 123456789012345678901234567890}"), "line 1: x: a number is malformed or out of range");
}

TEST(JsonDocument, ElementsOfALongArrayAreCheckedOneByOne) {
  const auto error_of_elements = [](std::string text) {
    auto document = JsonDocument::open(std::move(text));
    if (!document) return document.error().message;
    const Status status = document->for_each("x", [](const JsonValue&) { return Status(); });
    return status ? "fine" : status.error().message;
  };
  EXPECT_EQ(error_of_elements("{\"x\": []}"), "fine");
  EXPECT_EQ(error_of_elements("{\"x\": [{},\n{\"a\" 1}]}"), "line 2: x[1]: the JSON is malformed");
  EXPECT_EQ(error_of_elements("{\"x\": [1 2]}"), "line 1: expected ']' after x[0]");
  EXPECT_EQ(error_of_elements("{\"x\": [1,]}"), "line 1: expected a value");
  EXPECT_EQ(error_of_elements("{\"x\": [{]}"), "line 1: the JSON text ends too early; is the file truncated?");
  EXPECT_EQ(error_of_elements("{\"x\": {}}"), "x: expected an array");
}

TEST(JsonDocument, GoesDownIntoMembers) {
  auto document = JsonDocument::open(R"({"a": {"b": {"list": [1, 2]}, "c": 3}, "d": 4})");
  ASSERT_TRUE(document) << document.error().message;
  ASSERT_TRUE(document->enter("a"));
  EXPECT_FALSE(document->has("d"));
  EXPECT_EQ(document->enter("c").error().message, "c: expected an object");
  EXPECT_EQ(document->member("c")->integer().value(), 3) << "a member that is no object leaves things as they are";
  ASSERT_TRUE(document->enter("b"));
  std::size_t count = 0;
  ASSERT_TRUE(document->for_each("list", [&](const JsonValue&) { return ++count, Status(); }));
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(document->enter("a").error().message, "\"a\" is missing");
  auto broken = JsonDocument::open(R"({"a": {"b": 1]})");
  EXPECT_EQ(broken ? broken->enter("a").error().message : "", "line 1: expected '}' after the member \"b\"");
}

TEST(JsonDocument, TheLengthOfValuesIsTheCallersChoice) {
  auto document = JsonDocument::open(R"({"x": "0123456789"})", 8);
  EXPECT_EQ(document->member("x").error().message, "x: it takes 12 B of text; at most 8 B is read");
}

TEST(JsonDocument, NestingAndLengthAreCapped) {
  const std::size_t deep = 1'000'000;
  EXPECT_EQ(json_error("{\"x\": " + std::string(deep, '[') + std::string(deep, ']') + "}"),
            "line 1: x: the JSON is nested too deeply (at most 1024 levels)");
  EXPECT_EQ(json_error("{\"x\": " + std::string(deep, '[') + "}"),
            "line 1: the JSON text ends too early; is the file truncated?");
  EXPECT_EQ(json_error("{\"x\": \"" + std::string(kMaxJsonValueBytes, 'a') + "\"}"),
            "x: it takes 16.0 MiB of text; at most 16.0 MiB is read");
}

TEST(JsonValue, ErrorsNameThePath) {
  auto document = JsonDocument::open(R"({"ops": [{"shape": [1, "x", -1, 2.5, 9223372036854775808]}]})");
  const Status status = document->for_each("ops", [](const JsonValue& op) -> Status {
    const JsonValue shape = *op.find("shape");
    EXPECT_EQ(shape.at(0)->integer().value(), 1);
    const auto message = [&](std::size_t i) { return shape.at(i)->integer().error().message; };
    EXPECT_EQ(message(1), "ops[0].shape[1]: expected a non-negative integer, found \"x\"");
    EXPECT_EQ(message(2), "ops[0].shape[2]: expected a non-negative integer, found -1");
    EXPECT_EQ(message(3), "ops[0].shape[3]: expected a non-negative integer, found 2.5");
    EXPECT_EQ(message(4), "ops[0].shape[4]: expected a non-negative integer, found 9223372036854775808");
    EXPECT_EQ(shape.at(0)->integer(5, 7).error().message, "ops[0].shape[0]: expected an integer from 5 to 7, found 1");
    EXPECT_EQ(shape.string().error().message, "ops[0].shape: expected a string, found an array");
    EXPECT_EQ(op.boolean().error().message, "ops[0]: expected true or false, found an object");
    EXPECT_FALSE(op.find("none"));
    EXPECT_FALSE(shape.at(9));
    return {};
  });
  EXPECT_TRUE(status);
}

TEST(JsonValue, FieldsRefusesUnknownAndRepeatedMembers) {
  constexpr std::array<std::string_view, 2> kNames{"name", "flops"};
  const auto read = [&](std::string text, UnknownFields unknown) -> std::string {
    auto document = JsonDocument::open("{\"op\": " + text + "}");
    const auto value = document->member("op");
    const auto seen = value->fields(kNames, unknown, [](std::size_t, const JsonValue&) { return Status(); });
    return seen ? std::to_string(*seen) : seen.error().message;
  };
  EXPECT_EQ(read(R"({"flops": 1, "name": "a"})", UnknownFields::kRefuse), "3");
  EXPECT_EQ(read(R"({"flops": 1})", UnknownFields::kRefuse), "2");
  EXPECT_EQ(read(R"({"flopz": 1})", UnknownFields::kRefuse), "op: unknown member \"flopz\"; did you mean 'flops'?");
  EXPECT_EQ(read(R"({"flopz": 1, "name": "a"})", UnknownFields::kIgnore), "1");
  EXPECT_EQ(read(R"({"name": "a", "name": "b"})", UnknownFields::kIgnore), "op: \"name\" is there twice");
  EXPECT_EQ(read("[]", UnknownFields::kIgnore), "op: expected an object, found an array");
}

}  // namespace
}  // namespace berth
