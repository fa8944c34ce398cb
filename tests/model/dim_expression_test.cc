// SPDX-License-Identifier: Apache-2.0
#include "model/dim_expression.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

const DimSizes kSizes{{"batch", 8}, {"seq", 10}, {"odd name", 3}, {"s0", 7}};

std::int64_t evaluate(std::string_view expression) { return evaluate_dim(expression, kSizes).value_or(-1); }

TEST(DimExpression, FormulasOfExporters) {
  EXPECT_EQ(evaluate("batch"), 8);
  EXPECT_EQ(evaluate("odd name"), 3);
  EXPECT_EQ(evaluate("16*batch"), 128);
  EXPECT_EQ(evaluate("batch*(seq - 1)"), 72);
  EXPECT_EQ(evaluate("2*s0 - 1"), 13);
  EXPECT_EQ(evaluate("seq + batch + 1"), 19);
  EXPECT_EQ(evaluate("(s0 + 1)//2"), 4);
  EXPECT_EQ(evaluate("s0//2"), 3);
  EXPECT_EQ(evaluate("floor(s0/2) + 1"), 4);
  EXPECT_EQ(evaluate("ceiling(s0/2)"), 4);
  EXPECT_EQ(evaluate("Max(1, s0 - 9)"), 1);
  EXPECT_EQ(evaluate("min(s0, batch, seq)"), 7);
  EXPECT_EQ(evaluate("s0**2"), 49);
  EXPECT_EQ(evaluate("-s0 + seq"), 3);
  EXPECT_EQ(evaluate("12"), 12);
}

TEST(DimExpression, WhatIsNoSizeIsNotOne) {
  for (const std::string_view text : {"", "other", "batch +", "(batch", "batch)", "s0/2", "s0 - 9", "seq/0", "s0//0", "16batch",
                                      "batch seq", "f(batch)", "seq**seq**seq", "*", "10**40", "Mod(seq, 3)"})
    EXPECT_EQ(evaluate(text), -1) << text;
  EXPECT_EQ(evaluate(std::string(100000, '(')), -1) << "deep";
  EXPECT_EQ(evaluate(std::string(100000, '-')), -1) << "deep";
}

TEST(DimExpression, KnowsItsNames) {
  EXPECT_TRUE(mentions("16*batch", {{"batch", 1}}));
  EXPECT_TRUE(mentions("odd name", {{"odd name", 1}}));
  EXPECT_FALSE(mentions("16*batch_size", {{"batch", 1}}));
  EXPECT_FALSE(mentions("16*batch", {}));
  EXPECT_TRUE(is_plain_name("past_seq.1"));
  EXPECT_FALSE(is_plain_name("past + 1"));
  EXPECT_FALSE(is_plain_name("2x"));
  EXPECT_FALSE(is_plain_name(""));
}

// Dimensions of values by their symbols.
Value value_of(const std::vector<Dim>& dims) {
  Value value;
  value.name = "x";
  value.shape = dims;
  return value;
}

TEST(BindDims, SizesReachFormulasAndInnerValues) {
  Model model;
  model.leaves.push_back({model.add(value_of({{-1, "batch"}, {-1, "past"}, {-1, "past + 1"}, {-1, ""}})), Role::kInput, {}, {}});
  model.add(value_of({{-1, "16*batch"}, {-1, "past"}, {-1, "unk__3"}}));
  std::map<std::string, std::size_t> assumed;
  bind_dims(model, {{"batch", 4}}, assumed);
  EXPECT_EQ(*model.values[0].shape, (Shape{{4, "batch"}, {1, "past"}, {2, "past + 1"}, {1, ""}}));
  EXPECT_EQ(*model.values[1].shape, (Shape{{64, "16*batch"}, {1, "past"}, {-1, "unk__3"}}));
  EXPECT_EQ(assumed, (std::map<std::string, std::size_t>{{"past", 1}, {"x[3]", 1}}));
}

TEST(BindDims, SizesOfTheExportStayUnlessTheUserGivesOthers) {
  const auto bound = [](const DimSizes& sizes) {
    Model model;
    model.leaves.push_back({model.add(value_of({{5, "s0"}, {7, "s1"}})), Role::kInput, {}, {}});
    model.add(value_of({{9, "2*s0 - 1"}, {35, "s0*s1"}}));
    std::map<std::string, std::size_t> assumed;
    bind_dims(model, sizes, assumed);
    EXPECT_TRUE(assumed.empty());
    return *model.values[1].shape;
  };
  EXPECT_EQ(bound({}), (Shape{{9, "2*s0 - 1"}, {35, "s0*s1"}}));
  EXPECT_EQ(bound({{"s0", 10}}), (Shape{{19, "2*s0 - 1"}, {70, "s0*s1"}}));
}

}  // namespace
}  // namespace berth
