// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "files/json/json_reader.h"

namespace berth {
namespace {

template <typename T>
std::string written(T value) {
  JsonWriter json;
  json.value(value);
  std::string text = std::move(json).take();
  text.pop_back();
  return text;
}

TEST(JsonWriter, LinesAndInlineNest) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("format").value("x/1").key("none").begin_array(JsonLayout::kLines);
  json.end_array().key("ops").begin_array(JsonLayout::kLines);
  json.begin_object().key("name").value("a").key("inputs").begin_array().value(1).value(-2).end_array().end_object();
  json.begin_object().end_object().null().value(true);
  json.end_array().end_object();
  EXPECT_EQ(std::move(json).take(), R"({
  "format": "x/1",
  "none": [],
  "ops": [
    {"name": "a", "inputs": [1, -2]},
    {},
    null,
    true
  ]
}
)");
}

TEST(JsonWriter, EscapesStrings) {
  EXPECT_EQ(written("plain"), "\"plain\"");
  EXPECT_EQ(written("q\" b\\ n\n t\t r\r"), R"("q\" b\\ n\n t\t r\r")");
  EXPECT_EQ(written(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(written("\u00e9\u4e2d\U0001f6a2"), "\"\u00e9\u4e2d\U0001f6a2\"");
  EXPECT_EQ(written("a\xff\xc0\x80z"), "\"a\ufffd\ufffd\ufffdz\"") << "wrong bytes";
  EXPECT_EQ(written("\xed\xa0\x80"), "\"\ufffd\ufffd\ufffd\"") << "a lone surrogate";
  EXPECT_EQ(written("\xe4\xb8"), "\"\ufffd\ufffd\"") << "a cut character";
}

TEST(JsonWriter, NumbersAreShort) {
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(3.0), "3");
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(4831838208.0), "4831838208");
  EXPECT_EQ(written(2.49e-6F), "2.49e-06");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::optional(0.5)), "0.5");
  EXPECT_EQ(written(std::optional<double>()), "null");
}

double read_number(const std::string& text) {
  auto document = JsonDocument::open("{\"x\":" + text + "}");
  return *document->member("x")->number();
}

TEST(JsonWriter, DoublesAndFloatsReadBackExactly) {
  Rng rng(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto wide = std::bit_cast<double>(rng.next());
    if (std::isfinite(wide)) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read_number(written(wide))), std::bit_cast<std::uint64_t>(wide)) << wide;
    }
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(rng.next()));
    if (std::isfinite(narrow)) {
      EXPECT_EQ(static_cast<float>(read_number(written(narrow))), narrow);
    }
  }
}

TEST(JsonWriter, MembersListsAndObjectsAreWhatTheyStandFor) {
  const std::vector<int> sizes{1, 2};
  const std::string text = json_document([&](JsonWriter& json) {
    json.members("name", "a", "size", 3, "none", std::optional<std::string>(), "some", std::optional(4));
    json.list("sizes", sizes);
    json.object("inner", [&] { json.members("x", 0.5); });
    json.objects("rows", sizes, [&](int size) { json.members("size", size, "big", size > 1); });
  });
  EXPECT_EQ(text,
            "{\n  \"name\": \"a\",\n  \"size\": 3,\n  \"none\": null,\n  \"some\": 4,\n  \"sizes\": [1, 2],\n"
            "  \"inner\": {\"x\": 0.5},\n  \"rows\": [\n    {\"size\": 1, \"big\": false},\n"
            "    {\"size\": 2, \"big\": true}\n  ]\n}\n");
}

}  // namespace
}  // namespace berth
