// SPDX-License-Identifier: Apache-2.0
#include "model/size_expression.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace berth {
namespace {

const DimSizes kSizes{{"s0", 7}, {"batch", 8}, {"seq.1", 3}, {"huge", std::int64_t{1} << 40}};

// "names = value", "no" for what is no expression.
std::string read(std::string_view text) {
  const auto expression = read_size_expression(text, kSizes);
  if (!expression) return "no";
  const std::string value = expression->value ? fmt::format("{}", *expression->value) : "?";
  return fmt::format("{} = {}", join(expression->names, " "), value);
}

TEST(SizeExpression, Arithmetic) {
  EXPECT_EQ(read("batch"), "batch = 8");
  EXPECT_EQ(read("12"), " = 12");
  EXPECT_EQ(read("2*s0 + 1"), "s0 = 15");
  EXPECT_EQ(read("s0 - 1"), "s0 = 6");
  EXPECT_EQ(read("-1*s0 + batch"), "s0 batch = 1");
  EXPECT_EQ(read("(s0 - 1)//2*batch"), "s0 batch = 24");
  EXPECT_EQ(read("(s0 - batch)//2 + 2"), "s0 batch = 1") << "rounds down";
  EXPECT_EQ(read("s0**2 - batch*seq.1"), "s0 batch seq.1 = 25");
  EXPECT_EQ(read("Max(1, s0, batch) + Min(s0, 2)"), "s0 batch = 10");
  EXPECT_EQ(read("Mod(s0, 4) + PythonMod(batch, 3)"), "s0 batch = 5");
}

TEST(SizeExpression, WhatHasNoSize) {
  EXPECT_EQ(read("2*other + s0"), "other s0 = ?");
  EXPECT_EQ(read("1 - s0"), "s0 = ?") << "negative";
  EXPECT_EQ(read("s0//0"), "s0 = ?");
  EXPECT_EQ(read("Mod(s0, 0)"), "s0 = ?");
  EXPECT_EQ(read("s0**-1"), "s0 = ?");
  EXPECT_EQ(read("Max(s0, other)"), "s0 other = ?");
}

// They are known to be beyond any tensor, so that whoever needs them can refuse them.
TEST(SizeExpression, WhatIsTooLargeIsNotUnknown) {
  const std::string too_large = fmt::format("huge = {}", kTooLarge);
  EXPECT_EQ(read("huge*huge"), too_large);
  EXPECT_EQ(read("huge**99"), too_large);
  EXPECT_EQ(read("huge*huge + 5"), too_large);
  EXPECT_EQ(read("huge*huge*0"), "huge = 0");
  EXPECT_EQ(read("huge*huge - huge*huge"), "huge = ?");
  EXPECT_EQ(read("huge*huge//huge"), "huge = ?");
  EXPECT_EQ(read("Min(s0, 9223372036854775807)"), "s0 = 7") << "a bound that is never reached";
}

TEST(SizeExpression, NamesThatAreNone) {
  for (const std::string_view text :
       {"", "batch size", "input-ids.1", "a+b", "onnx::Cast_0", "a/b.0", "2*", "(s0", "s0)", "Ceil(s0)", "Max()",
        "Max(s0", "Mod(s0)", "s0 + ", "--1", "99999999999999999999", "1.5"}) {
    EXPECT_EQ(read(text), "no") << text;
  }
  EXPECT_EQ(read(std::string(5000, 'a')), "no");
  EXPECT_EQ(read(std::string(500, '(')), "no");
  EXPECT_EQ(read(std::string(200, '(') + "1" + std::string(200, ')')), "no") << "too deep";
}

TEST(SizeExpression, MentionsWholeWords) {
  EXPECT_TRUE(mentions("2*s7 + 1", "s7"));
  EXPECT_TRUE(mentions("s7", "s7"));
  EXPECT_TRUE(mentions("s77*s7", "s7"));
  EXPECT_FALSE(mentions("2*s77", "s7"));
  EXPECT_FALSE(mentions("xs7", "s7"));
}

}  // namespace
}  // namespace berth
