// SPDX-License-Identifier: Apache-2.0
#include "files/toml.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "format/machine_toml.h"
#include "machine/library.h"

namespace berth {
namespace {

// {a: 1, b: [x, {c: true}]}: the value in one line, keys in the order of the file.
std::string to_text(const TomlValue& value) {
  using Kind = TomlValue::Kind;
  if (value.kind == Kind::kBool) return value.boolean ? "true" : "false";
  if (value.kind == Kind::kInteger) return fmt::format("{}", value.integer);
  if (value.kind == Kind::kFloat) return fmt::format("{}f", value.number);
  if (value.kind == Kind::kString) return value.text;
  std::vector<std::string> names(value.items.size());
  for (const auto& [key, position] : value.keys) names[position] = key + ": ";
  std::string text;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ", names[i], to_text(value.items[i]));
  }
  return value.kind == Kind::kArray ? fmt::format("[{}]", text) : fmt::format("{{{}}}", text);
}

std::string parsed(std::string_view text) {
  const auto root = parse_toml(text, "f");
  return root.ok() ? to_text(*root) : root.error().message;
}

TEST(Toml, Values) {
  EXPECT_EQ(parsed(""), "{}");
  EXPECT_EQ(parsed("a = 1\nb = -2 # c\n\n  d.e = +3\r\n'f g' = 1_000\n\"h\" = 2.5e3"),
            "{a: 1, b: -2, d: {e: 3}, f g: 1000, h: 2500f}");
  EXPECT_EQ(parsed("a = true\nb = false"), "{a: true, b: false}");
  EXPECT_EQ(parsed(R"(a = "q\"\\\t\u00e9\U0001F600"
b = 'c:\d')"),
            "{a: q\"\\\t\xc3\xa9\xf0\x9f\x98\x80, b: c:\\d}");
  EXPECT_EQ(parsed("a = [1, [2], # two\n  \"x\",\n]\nb = []"), "{a: [1, [2], x], b: []}");
  EXPECT_EQ(parsed("a = { b = 1, c.d = [ {} ] }\nx = {}"), "{a: {b: 1, c: {d: [{}]}}, x: {}}");
}

TEST(Toml, Tables) {
  EXPECT_EQ(parsed("x = 0\n[a]\nb = 1\n[a.c]\nd = 2\n[e.f]\n[e]\ng = 3"),
            "{x: 0, a: {b: 1, c: {d: 2}}, e: {f: {}, g: 3}}");
  EXPECT_EQ(parsed("[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\nb = 3\n[[a.e]]\n[[a.e]]\n"),
            "{a: [{b: 1, c: {d: 2}}, {b: 3, e: [{}, {}]}]}");
}

TEST(Toml, Mistakes) {
  EXPECT_EQ(parsed("a = 1\na = 2"), "f:2: 'a' is there already, in line 1");
  EXPECT_EQ(parsed("[a]\n[b]\n[a]"), "f:3: 'a' is there already, in line 1");
  EXPECT_EQ(parsed("a = [1]\n[[a]]"), "f:2: 'a' is an array already, in line 1");
  EXPECT_EQ(parsed("a = {}\n[a.b]"), "f:2: 'a' is a table already and takes no further keys");
  EXPECT_EQ(parsed("a = 1\na.b = 2"), "f:2: 'a' is a whole number already and takes no further keys");
  EXPECT_EQ(parsed("\nmemory = 12 GiB"),
            "f:2: unexpected 'GiB' before the end of the line; text needs quotes, as in \"12 GiB\"");
  EXPECT_EQ(parsed("duplex = half"), "f:1: 'half' is no value; text needs quotes");
  EXPECT_EQ(parsed("a ="), "f:1: expected a value, found the end of the file");
  EXPECT_EQ(parsed("a\n"), "f:1: expected '=' after the key 'a', found the end of the line");
  EXPECT_EQ(parsed("= 1"), "f:1: expected a key, found '='");
  EXPECT_EQ(parsed("[$]"), "f:1: expected a key, found '$'");
  EXPECT_EQ(parsed("[a"), "f:1: expected ']', found the end of the file");
  EXPECT_EQ(parsed("[[a]\n"), "f:1: expected ']]', found the end of the line");
  EXPECT_EQ(parsed("a = \"x\nb = 1"), "f:1: a string does not end on its line");
  EXPECT_EQ(parsed("a = \"\\q\""), "f:1: no such escape in a string: \\q");
  EXPECT_EQ(parsed("a = \"\\ud800\""), "f:1: no such character in a string");
  EXPECT_EQ(parsed("a = \"\"\"x\"\"\""), "f:1: strings of several lines are not read here");
  EXPECT_EQ(parsed("a = [1\n2]"), "f:2: expected ',' or ']' in the array, found '2'");
  EXPECT_EQ(parsed("a = {b = 1\n}"), "f:1: expected ',' or '}' in the table, found the end of the line");
  EXPECT_EQ(parsed("a = 1979-05-27"), "f:1: '1979-05-27' is no value; text needs quotes");
  EXPECT_EQ(parsed("a = \"\xff\""), "f: the text is not valid UTF-8");
}

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Toml, HostileTextsEndInOneLine) {
  EXPECT_EQ(parsed(std::string(100'000, '[')), "f:1: expected a key, found '['");
  EXPECT_EQ(parsed(fmt::format("a = {}", std::string(100'000, '['))), "f:1: nested more than 16 deep");
  EXPECT_EQ(parsed(fmt::format("a = {}", repeated("{a=", 100'000))), "f:1: nested more than 16 deep");
  EXPECT_EQ(parsed(fmt::format("a{} = 1", repeated(".a", 100'000))), "f:1: a key of more than 16 parts");
  EXPECT_EQ(parsed(fmt::format("[a{}]", repeated(".a", 100'000))), "f:1: a key of more than 16 parts");
  EXPECT_EQ(parsed(fmt::format("a = [{}]", repeated("1,", 200'000))), "f:1: more than 100000 values");
  EXPECT_EQ(parsed(repeated("[[a]]\n", 150'000)), "f:100000: more than 100000 values");
  EXPECT_EQ(parsed(std::string(kMaxTomlBytes + 1, ' ')), "f: 16777217 bytes; at most 16777216 are read");
  EXPECT_EQ(parsed(std::string("a = \"\0\"", 7)), "f:1: a control character in a string");
}

// Whatever happens to a machine file, reading it ends in a machine or in one line.
TEST(Toml, SpoiledMachineFilesNeverCrash) {
  Rng rng(3);
  const std::string whole = write_machine_toml(*builtin_machine("core-ultra"));
  constexpr std::string_view kSpoilers = "[]{}=.,\"'#\n \\\r0-_eE*\x01\xff";
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (std::uint64_t i = 0; i <= rng.below(4); ++i) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(4)) {
        case 0:
          text[at] = kSpoilers[rng.below(kSpoilers.size())];
          break;
        case 1:
          text.erase(at, 1 + rng.below(30));
          break;
        case 2:
          text.insert(at, text.substr(rng.below(text.size()), rng.below(60)));
          break;
        default:
          text.resize(at + 1);
      }
    }
    const auto machine = read_machine_toml(text, "box.toml");
    if (machine.ok()) continue;
    ++refused;
    const std::string& message = machine.error().message;
    EXPECT_TRUE(message.starts_with("box.toml:")) << message;
    EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) { return c == '\n'; })) << message;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace berth
