// SPDX-License-Identifier: Apache-2.0
#include "plan/layer_names.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Names& paths) { return layer_names(paths); }

TEST(LayerNames, EndAtTheFirstNumber) {
  EXPECT_EQ(names_of({"enc.layer.0.attention.query", "enc.layer.0.mlp", "enc.layer.11.mlp", "head.norm"}),
            (Names{"enc.layer.0", "enc.layer.0", "enc.layer.11", "head"}));
}

TEST(LayerNames, WithoutNumbersEndAfterTheCommonPart) {
  EXPECT_EQ(names_of({"m.m.Conv2d_1a.conv", "m.m.Mixed_5b.branch1x1.conv", "m.m.Mixed_5b.branch_pool.bn"}),
            (Names{"m.m.Conv2d_1a", "m.m.Mixed_5b", "m.m.Mixed_5b"}));
}

TEST(LayerNames, DescendIntoContainersOnly) {
  EXPECT_EQ(names_of({"bert.embeddings.word", "bert.encoder.layer.0.dense", "cls.predictions.decoder"}),
            (Names{"bert.embeddings", "bert.encoder.layer.0", "cls"}));
}

TEST(LayerNames, AContainerNamesNoLayer) {
  EXPECT_EQ(names_of({"", "m", "m.model", "m.model.layers.0.attn", "m.model.norm", "m.head"}),
            (Names{"", "", "", "m.model.layers.0", "m.model.norm", "m.head"}));
}

TEST(LayerNames, ANumberIsNeverSkippedAsCommon) {
  EXPECT_EQ(names_of({"rnn.0.x", "rnn.0.h"}), (Names{"rnn.0", "rnn.0"}));
}

TEST(LayerNames, OnePathIsOneLayer) { EXPECT_EQ(names_of({"fc"}), Names{"fc"}); }

TEST(LayerNames, StrayDotsDoNoHarm) {
  const Names names = names_of({".", "a..b", "a.", ".0.x"});
  EXPECT_EQ(names.size(), 4U);
}

TEST(ModuleOfLabel, IsThePathOfTheOwner) {
  EXPECT_EQ(module_of_label("m.enc.0.x.weight"), "m.enc.0.x");
  EXPECT_EQ(module_of_label("weight"), "weight");
}

TEST(ModuleOfLabel, TakesTheLayerNumberOfStackedCells) {
  EXPECT_EQ(module_of_label("lstm.weight_ih_l0"), "lstm.0");
  EXPECT_EQ(module_of_label("lstm.bias_hh_l12_reverse"), "lstm.12");
  EXPECT_EQ(module_of_label("lstm.weight_label"), "lstm");
}

}  // namespace
}  // namespace berth
