// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_text.h"

#include <algorithm>

#include "base/text.h"
#include "graph/builder.h"
#include "model/small_model.h"

namespace berth {
namespace {

using Attributes = std::vector<std::pair<std::string, Attribute>>;
using Integers = std::vector<std::int64_t>;

std::string text_of(Attribute value) { return attribute_text(Attributes{{"a", std::move(value)}}); }

TEST(AttributeText, HasALineForEach) {
  const Attributes attributes{{"kernel_shape", Integers{3, 3}},
                              {"auto_pad", "SAME_UPPER"},
                              {"group", std::int64_t{1}},
                              {"epsilon", static_cast<double>(1e-5F)},
                              {"alpha", 0.1},
                              {"nothing", ""},
                              {"axes", Integers{}}};
  EXPECT_EQ(attribute_text(attributes),
            "kernel_shape = [3, 3]\nauto_pad = SAME_UPPER\ngroup = 1\nepsilon = 1e-05\nalpha = 0.1\nnothing = \"\"\n"
            "axes = []");
  EXPECT_EQ(attribute_text({}), "");
}

TEST(AttributeText, LeavesOutWhatIsNotForPeople) {
  const Attributes attributes{{"_class", "loc:@w"}, {"body_flops", 2.0}, {"axis", std::int64_t{-1}}};
  EXPECT_EQ(attribute_text(attributes), "axis = -1");
}

TEST(AttributeText, LongValuesAreCutShort) {
  EXPECT_EQ(text_of(Integers(1000, 7)), "a = [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, ...] (1,000 in all)");
  EXPECT_EQ(text_of(std::string(100'000, 'x')), "a = " + std::string(96, 'x') + "...");
  EXPECT_EQ(text_of(std::string(95, 'x') + "\u00e9\u00e9"), "a = " + std::string(95, 'x') + "...")
      << "no half characters";
  EXPECT_EQ(text_of(std::vector<std::string>(9, std::string(5000, 'y'))).size(), 4 + 1 + 99 + 6 + 11U);
}

TEST(AttributeText, BytesThatAreNoTextAreMarked) {
  EXPECT_EQ(text_of("\u4e2d\xff\x80."), "a = \u4e2d??.");
  EXPECT_EQ(text_of(std::string(5000, '\xfe')), "a = " + std::string(96, '?') + "...");
}

TEST(AttributeText, AValueCannotLookLikeSeveralLines) { EXPECT_EQ(text_of("x\nb = 1\r\x7f"), "a = x b = 1  "); }

TEST(AttributeText, AnyNumberOfAttributesStaysSmall) {
  Attributes attributes;
  for (std::int64_t i = 0; i < 10'000; ++i) attributes.emplace_back(std::string(200, 'n'), Integers(50, i));
  const std::string text = attribute_text(attributes);
  EXPECT_LE(text.size(), kMaxAttributesLength);
  const auto lines = split(text, '\n');
  EXPECT_GT(lines.size(), 2U);
  EXPECT_EQ(lines.back(), fmt::format("and {} more", group_digits(10'000 - (lines.size() - 1))));
}

TEST(AttributeText, GoesIntoTheGraph) {
  SmallModel net(Dialect::kOnnx);
  net.output(net.node("turned", "Transpose", {net.input("x", {4, 8})}, {8, 4}));
  net.last().attributes = {{"perm", Integers{1, 0}}};
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.attributes(op_named(lowered.graph, "turned")), "perm = [1, 0]");
  EXPECT_EQ(lowered.graph.attributes(op_named(lowered.graph, "x")), "");
}

}  // namespace
}  // namespace berth
