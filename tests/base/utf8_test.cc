// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

TEST(Utf8, CharactersHaveTheirLength) {
  EXPECT_EQ(utf8_length("a", 0), 1U);
  EXPECT_EQ(utf8_length("a\u00e9", 1), 2U);
  EXPECT_EQ(utf8_length("\u4e2d", 0), 3U);
  EXPECT_EQ(utf8_length("\U0001f6a2", 0), 4U);
}

TEST(Utf8, WrongBytesHaveNone) {
  for (const char* text : {"\x80", "\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xe4\xb8", "\xf4\x90\x80\x80"})
    EXPECT_EQ(utf8_length(text, 0), 0U) << text;
}

TEST(Utf8, PrintableTextIsOneLineWithoutControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("\033[2J\x7f\u0085"), "?[2J???");  // C1 is two bytes, neither of which may stay
  EXPECT_EQ(printable("gr\u00f6\u00dfer \xff"), "gr\u00f6\u00dfer ?");
  constexpr std::array<std::string_view, 1> kBold{"\033[1m"};
  EXPECT_EQ(printable("\033[1mx\033[0m", kBold), "\033[1mx?[0m");
}

}  // namespace
}  // namespace berth
