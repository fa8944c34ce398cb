// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "base/rng.h"

namespace berth {
namespace {

TEST(EditDistance, CountsEachKindOfEdit) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("heft", "heft"), 0);
  EXPECT_EQ(edit_distance("heft", "hefts"), 1);  // insert
  EXPECT_EQ(edit_distance("heft", "eft"), 1);    // delete
  EXPECT_EQ(edit_distance("heft", "left"), 1);   // replace
  EXPECT_EQ(edit_distance("heft", "hetf"), 1);   // swap at the end
  EXPECT_EQ(edit_distance("heft", "ehft"), 1);   // swap at the start
  EXPECT_EQ(edit_distance("heft", "ehtf"), 2);   // two swaps
  EXPECT_EQ(edit_distance("heft", "thef"), 2);   // not a swap of neighbours
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ab", "cd"), 2);
}

TEST(EditDistance, IsSymmetricAndBoundedByTheLongerWord) {
  Rng rng(1);
  const auto word = [&] {
    std::string text(rng.below(9), 'a');
    for (char& c : text) c = static_cast<char>('a' + rng.below(3));
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = word(), b = word();
    const int distance = edit_distance(a, b);
    ASSERT_EQ(distance, edit_distance(b, a)) << a << " " << b;
    ASSERT_LE(distance, static_cast<int>(std::max(a.size(), b.size())));
    ASSERT_GE(distance, std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())));
    ASSERT_EQ(distance == 0, a == b);
  }
}

TEST(EditDistance, DoesNotWorkHardOnLongWords) {
  const std::string a(65, 'x'), b(1'000'000, 'x');
  EXPECT_EQ(edit_distance(a, a), 0);
  EXPECT_EQ(edit_distance(a, b), 1'000'000);
}

TEST(DidYouMean, OffersTheNearestCandidate) {
  constexpr std::array<std::string_view, 4> kPlanners{"single", "random", "heft", "auto"};
  EXPECT_EQ(did_you_mean("hefft", kPlanners), "; did you mean 'heft'?");
  EXPECT_EQ(did_you_mean("hetf", kPlanners), "; did you mean 'heft'?");
  EXPECT_EQ(did_you_mean("sinlge", kPlanners), "; did you mean 'single'?");
  EXPECT_EQ(did_you_mean("rnadom", kPlanners), "; did you mean 'random'?");
  EXPECT_EQ(did_you_mean("auot", kPlanners), "; did you mean 'auto'?");
}

TEST(DidYouMean, StaysSilentWhenNothingIsNear) {
  constexpr std::array<std::string_view, 2> kPlanners{"single", "heft"};
  EXPECT_EQ(did_you_mean("genetic", kPlanners), "");
  EXPECT_EQ(did_you_mean("left-right", kPlanners), "");
  EXPECT_EQ(did_you_mean("hxyt", kPlanners), "");  // two of four letters
  EXPECT_EQ(did_you_mean("heft", std::span<const std::string>()), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'h'), kPlanners), "");
}

TEST(DidYouMean, TakesTheFirstOfEquallyNearOnes) {
  const std::vector<std::string> machines{"k40x2", "k40x4", "k40x8"};
  EXPECT_EQ(did_you_mean("k40x3", machines), "; did you mean 'k40x2'?");
  EXPECT_EQ(did_you_mean("k40x44", machines), "; did you mean 'k40x4'?");
}

TEST(DidYouMean, OffersWhatTheWordIsAPartOf) {
  const std::vector<std::string> machines{"k40x2", "rtx4090-3060", "rtx4090-3060-slow"};
  EXPECT_EQ(did_you_mean("rtx409", machines), "; did you mean 'rtx4090-3060'?");  // the shortest of them
  const std::vector<std::string> ops{"node_MatMul_1", "node_MatMul_11", "node_MatMul_110"};
  EXPECT_EQ(did_you_mean("MatMul_11", ops), "; did you mean 'node_MatMul_11'?");
  EXPECT_EQ(did_you_mean("matmul_11", ops), "; did you mean 'node_MatMul_11'?");  // in any case
  EXPECT_EQ(did_you_mean("onnx::node_MatMul_1", ops), "; did you mean 'node_MatMul_1'?");
  EXPECT_EQ(did_you_mean("k4", machines), "");     // too little to go by
  EXPECT_EQ(did_you_mean("MatMul_111", ops), "");  // part of none
  const std::vector<std::string> near{"heft-long", "hept"};
  EXPECT_EQ(did_you_mean("heft", near), "; did you mean 'hept'?");  // one slip is nearer
  const std::string name(90, 'x');
  const std::vector<std::string> long_names{"a/" + name};
  EXPECT_EQ(did_you_mean(name, long_names), "; did you mean 'a/" + name + "'?");
}

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split("abc", ','), (Parts{"abc"}));
  EXPECT_EQ(split("a b,c", ','), (Parts{"a b", "c"}));
}

TEST(Trim, TakesSpaceOffBothEnds) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Counted, HasOneOfAThing) {
  EXPECT_EQ(counted(0, "op"), "0 ops");
  EXPECT_EQ(counted(1, "device"), "1 device");
  EXPECT_EQ(counted(46'600, "op"), "46,600 ops");
}

TEST(Join, PutsSeparatorsBetween) {
  const std::vector<std::string> words{"a", "", "c"};
  EXPECT_EQ(join(words, ", "), "a, , c");
  EXPECT_EQ(join(std::span(words).first(1), ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

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
