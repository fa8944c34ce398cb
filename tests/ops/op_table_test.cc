// SPDX-License-Identifier: Apache-2.0
#include "ops/op_table.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>
#include <string>

#include "base/text.h"

namespace berth {
namespace {

std::string canonical(std::string_view type) {
  std::string name;
  for (const char c : type) {
    if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

bool has_products(CostClass cost_class) {
  return cost_class == CostClass::kMatmul || cost_class == CostClass::kConvWindowed ||
         cost_class == CostClass::kConvGradWindowed || cost_class == CostClass::kAttention;
}

TEST(OpTable, NoTypeStandsTwiceInAChapter) {
  for (const OpChapter& chapter : op_table()) {
    std::set<std::string> seen;
    for (const OpRow& row : chapter.rows) {
      for (const std::string_view type : split(row.types, ' ')) {
        EXPECT_FALSE(type.empty()) << "two spaces in: " << row.types;
        EXPECT_TRUE(seen.insert(canonical(type)).second) << chapter.domain << type;
        EXPECT_LT(type.size(), 64U) << type;
      }
    }
  }
}

TEST(OpTable, FactsOfARowFitTogether) {
  for (const OpChapter& chapter : op_table()) {
    for (const OpRow& row : chapter.rows) {
      SCOPED_TRACE(row.types);
      const OpInfo& info = row.info;
      const bool is_pure_view = info.effect == Effect::kView || info.effect == Effect::kViewOfState;
      EXPECT_TRUE(info.flops.formula == Formula::kNone || has_products(info.cost_class))
          << "only products have flops, and only their classes price them";
      EXPECT_TRUE(!is_pure_view || info.traffic.reads == Reads::kNothing) << "a view moves nothing";
      EXPECT_TRUE(info.cost_class != CostClass::kNothing || info.traffic.reads == Reads::kNothing);
      EXPECT_TRUE(info.cost_class != CostClass::kConvPointwise && info.cost_class != CostClass::kConvGradPointwise)
          << "shapes tell them apart";
      const bool is_step = info.traffic.reads == Reads::kRewrites || info.traffic.reads == Reads::kRewritesRows;
      EXPECT_TRUE(!is_step || info.effect == Effect::kUpdate);
    }
  }
}

TEST(OpTable, EveryTypeIsFoundInItsDialectAndByName) {
  std::map<Dialect, std::size_t> types;
  for (const OpChapter& chapter : op_table()) {
    for (const OpRow& row : chapter.rows) {
      for (const std::string_view type : split(row.types, ' ')) {
        const std::string full = fmt::format("{}{}", chapter.domain, type);
        const auto found = find_op(chapter.dialect, full);
        ASSERT_TRUE(found) << full;
        EXPECT_EQ(found->cost_class, row.info.cost_class) << full;
        EXPECT_EQ(found->flops.formula, row.info.flops.formula) << full;
        EXPECT_TRUE(find_op(full)) << full;
        ++types[chapter.dialect];
      }
    }
  }
  EXPECT_GE(types[Dialect::kOnnx], 300U);
  EXPECT_GE(types[Dialect::kTensorFlow], 400U);
  EXPECT_GE(types[Dialect::kOpenVino], 180U);
  EXPECT_GE(types[Dialect::kAten], 400U);
}

// A Graph does not say whose its types are, so a name should mean one class. These do not; what find_op(type) answers
// for them is the first dialect's.
TEST(OpTable, DialectsDisagreeAboutFewNames) {
  std::map<std::string, std::set<CostClass>> classes;
  for (const OpChapter& chapter : op_table()) {
    for (const OpRow& row : chapter.rows) {
      for (const std::string_view type : split(row.types, ' ')) classes[canonical(type)].insert(row.info.cost_class);
    }
  }
  std::string disputed;
  for (const auto& [name, different] : classes) {
    if (different.size() > 1) disputed += name + " ";
  }
  EXPECT_EQ(disputed, "broadcastto expand permute select slice split transpose where ");
  EXPECT_EQ(find_op("Transpose")->cost_class, CostClass::kCopy);
  EXPECT_EQ(find_op("aten.transpose.int")->cost_class, CostClass::kNothing);
}

TEST(OpTable, SpellingDoesNotMatter) {
  for (const char* type : {"aten._softmax.default", "aten::softmax", "Softmax", "softmax", "SoftMax"}) {
    ASSERT_TRUE(find_op(type)) << type;
    EXPECT_EQ(find_op(type)->cost_class, CostClass::kSoftmax) << type;
  }
  EXPECT_FALSE(find_op(""));
  EXPECT_FALSE(find_op("aten."));
  EXPECT_FALSE(find_op(std::string(1000, 'x')));
  EXPECT_FALSE(find_op(Dialect::kOnnx, ""));
}

TEST(OpTable, DomainsOfOnnxAreToldApart) {
  EXPECT_EQ(find_op(Dialect::kOnnx, "Attention")->flops.formula, Formula::kAttention);
  EXPECT_EQ(find_op(Dialect::kOnnx, "com.microsoft.Attention")->flops.formula, Formula::kSelfAttention);
  EXPECT_TRUE(find_op(Dialect::kOnnx, "com.microsoft.LayerNormalization")) << "ONNX's own, in the other domain";
  EXPECT_TRUE(find_op(Dialect::kOnnx, "com.microsoft.nchwc.Conv"));
  EXPECT_FALSE(find_op(Dialect::kOnnx, "BiasGelu")) << "only in the other domain";
  EXPECT_FALSE(find_op(Dialect::kOnnx, "mine.MatMul")) << "somebody's own operator may be anything";
  EXPECT_FALSE(find_op("mine.MatMul"));
  EXPECT_FALSE(find_op(Dialect::kOpenVino, "extension.MatMul"));
}

TEST(OpTable, FusedOperatorsOfOnnxRuntimeAreKnown) {
  for (const char* type : {"FusedMatMul",
                           "Attention",
                           "MultiHeadAttention",
                           "GroupQueryAttention",
                           "SkipLayerNormalization",
                           "SimplifiedLayerNormalization",
                           "EmbedLayerNormalization",
                           "BiasGelu",
                           "FastGelu",
                           "Gelu",
                           "QuickGelu",
                           "RotaryEmbedding",
                           "MatMulNBits",
                           "FusedConv",
                           "QLinearAdd",
                           "QLinearConv",
                           "DynamicQuantizeMatMul",
                           "DynamicQuantizeLSTM",
                           "SoftmaxGrad_13",
                           "BiasFastGeluGrad_dX"}) {
    EXPECT_TRUE(find_op(Dialect::kOnnx, fmt::format("com.microsoft.{}", type))) << type;
  }
}

TEST(OpTable, AUnderscoreBehindAnAtenNameMeansInPlace) {
  EXPECT_EQ(find_op(Dialect::kAten, "aten.relu_.default")->effect, Effect::kInPlace);
  EXPECT_EQ(find_op(Dialect::kAten, "aten.add_.Tensor")->effect, Effect::kInPlace);
  EXPECT_EQ(find_op(Dialect::kAten, "aten.relu.default")->effect, Effect::kMakes);
  EXPECT_EQ(find_op(Dialect::kAten, "aten.__and__.Tensor")->effect, Effect::kMakes);
  EXPECT_EQ(find_op(Dialect::kAten, "aten.view.default")->effect, Effect::kView);
}

TEST(OpTable, GradientsOfElementwiseOpsNeedNoRow) {
  EXPECT_EQ(find_op(Dialect::kTensorFlow, "TanGrad")->cost_class, CostClass::kElementwise);
  EXPECT_EQ(find_op(Dialect::kAten, "aten.hardswish_backward.default")->cost_class, CostClass::kElementwise);
  EXPECT_FALSE(find_op(Dialect::kTensorFlow, "MatMulGrad"));
}

TEST(OpTable, ControlFlowOfTensorFlowIsFree) {
  for (const char* type : {"Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond", "Identity"}) {
    EXPECT_EQ(find_op(Dialect::kTensorFlow, type)->cost_class, CostClass::kNothing) << type;
  }
  EXPECT_EQ(find_op(Dialect::kTensorFlow, "Merge")->effect, Effect::kViewOfState) << "its value changes every turn";
}

}  // namespace
}  // namespace berth
