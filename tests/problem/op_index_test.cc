// SPDX-License-Identifier: Apache-2.0
// Which ops a selector stands for.
#include "problem/demands/op_index.h"

#include "problem/demand_parts.h"

namespace berth {
namespace {

TEST(Matches, StarsStandForAnything) {
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_FALSE(matches("abc", "ab"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "a/b.c"));
  EXPECT_TRUE(matches("a*c", "ac"));
  EXPECT_TRUE(matches("a*c", "abcbc"));
  EXPECT_FALSE(matches("a*c", "abcb"));
  EXPECT_TRUE(matches("*b*d*", "abcde"));
  EXPECT_TRUE(matches("a**", "a"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("a*", "b"));
}

TEST(Matches, ManyStarsStayQuick) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(4000, 'a')));
}

TEST(MatchingModule, IsAWholePartOfThePath) {
  EXPECT_EQ(matching_module("enc.1", "enc.1"), "enc.1");
  EXPECT_EQ(matching_module("enc.1", "enc.1.fc"), "enc.1");
  EXPECT_EQ(matching_module("enc.1", "enc.1/fc"), "enc.1");
  EXPECT_EQ(matching_module("enc.1", "enc.10"), "");
  EXPECT_EQ(matching_module("enc.1", "enc"), "");
  EXPECT_EQ(matching_module("enc.1", ""), "");
  EXPECT_EQ(matching_module("", "enc"), "");
}

TEST(MatchingModule, PatternsTakeTheShortestPart) {
  EXPECT_EQ(matching_module("enc.*", "enc.3.attention.out"), "enc.3");
  EXPECT_EQ(matching_module("enc.*.out", "enc.3.attention.out"), "enc.3.attention.out");
  EXPECT_EQ(matching_module("*", "enc.3"), "enc");
  EXPECT_EQ(matching_module("enc.*", "enc"), "");
  EXPECT_EQ(matching_module("enc.*", "dec.0"), "");
  EXPECT_EQ(matching_module("*", ""), "");
}

class OpIndexTest : public testing::Test {
 protected:
  // "emb/gather head"
  [[nodiscard]] std::string select(std::string_view selector) const {
    const auto ops = index_.select(selector);
    return ops ? names(*ops) : ops.error().message;
  }
  [[nodiscard]] std::string names(const std::vector<OpId>& ops) const {
    std::string text;
    for (const OpId op : ops) text += fmt::format("{}{}", text.empty() ? "" : " ", graph_->name(op));
    return text;
  }

  std::shared_ptr<const Graph> graph_ = small_net();
  OpIndex index_{*graph_};
};

TEST_F(OpIndexTest, Names) {
  EXPECT_EQ(select("head"), "head");
  EXPECT_EQ(select("a=b"), "a=b");
  EXPECT_EQ(select("enc.*/conv"), "enc.0/conv enc.1/conv enc.10/conv");
  EXPECT_EQ(select("*"), names({graph_->ops().begin(), graph_->ops().end()}));
}

TEST_F(OpIndexTest, TypesRolesAndModules) {
  EXPECT_EQ(select("type:Conv"), "enc.0/conv enc.1/conv enc.10/conv");
  EXPECT_EQ(select("type:*a*"), "emb/gather enc.0.fc/matmul head");
  EXPECT_EQ(select("role:parameter"), "emb.table enc.0.w");
  EXPECT_EQ(select("role:input"), "x");
  EXPECT_EQ(select("module:enc.0"), "enc.0.w enc.0/conv enc.0.fc/matmul");
  EXPECT_EQ(select("module:enc.1"), "enc.1/conv");
  EXPECT_EQ(select("module:enc.*"), "enc.0.w enc.0/conv enc.0.fc/matmul enc.1/conv enc.10/conv");
  EXPECT_EQ(select("module:emb"), "emb.table emb/gather") << "inputs come from outside";
}

TEST_F(OpIndexTest, ANameComesBeforeWhatElseItCouldMean) {
  GraphBuilder builder("odd");
  builder.add({.name = "type:Conv", .type = "Relu"});
  builder.add({.name = "a*", .type = "Conv"});
  builder.add({.name = "ab", .type = "Conv"});
  const Graph graph = std::move(builder).build().value();
  const OpIndex odd(graph);
  EXPECT_EQ(*odd.select("type:Conv"), std::vector{OpId{0}});
  EXPECT_EQ(*odd.select("a*"), std::vector{OpId{1}});
}

TEST_F(OpIndexTest, WhatIsNotThereIsAnError) {
  EXPECT_EQ(select("heed"), "no op named 'heed' in 'net'; did you mean 'head'?");
  EXPECT_EQ(select("nothing like it"), "no op named 'nothing like it' in 'net'");
  EXPECT_EQ(select("dec.*"), "no op of 'net' has a name like 'dec.*'");
  EXPECT_EQ(select("Conv"), "no op named 'Conv'; did you mean 'type:Conv'?");
  EXPECT_EQ(select("enc.0"), "no op named 'enc.0'; did you mean 'module:enc.0'?");
  EXPECT_EQ(select("type:Conf"), "no op of the type 'Conf' in 'net'; did you mean 'Conv'?");
  EXPECT_EQ(select("module:enk"), "no module 'enk' in 'net'; did you mean 'enc'?");
  EXPECT_EQ(select("role:inputs"),
            "no role 'inputs'; there are: compute, parameter, buffer, constant, input, view; did you mean 'input'?");
  EXPECT_EQ(select("role:view"), "'net' has no op of the role 'view'");
}

TEST_F(OpIndexTest, ModulesComeOneByOne) {
  std::vector<std::string> found;
  const auto modules = index_.modules("enc.*").value();
  for (const std::vector<OpId>& ops : modules) found.push_back(names(ops));
  EXPECT_EQ(found, (std::vector<std::string>{"enc.0.w enc.0/conv enc.0.fc/matmul", "enc.1/conv", "enc.10/conv"}));
  GraphBuilder builder("flat");
  builder.add({.name = "a"});
  const Graph flat = std::move(builder).build().value();
  EXPECT_EQ(OpIndex(flat).modules("enc").error().message, "no module 'enc' in 'flat'; its ops name no modules");
}

}  // namespace
}  // namespace berth
