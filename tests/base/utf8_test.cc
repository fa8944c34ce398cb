// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace berth
