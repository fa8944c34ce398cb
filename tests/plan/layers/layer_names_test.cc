// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/layer_names.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using LayerNames = std::vector<std::string>;

LayerNames names_of(const LayerNames& paths) { return layer_names(paths); }

TEST(LayerNames, EndAtTheFirstNumber) {
  EXPECT_EQ(names_of({"enc.layer.0.attention.query", "enc.layer.0.mlp", "enc.layer.11.mlp", "head.norm"}),
            (LayerNames{"enc.layer.0", "enc.layer.0", "enc.layer.11", "head"}));
}

TEST(LayerNames, WithoutNumbersEndAfterTheCommonPart) {
  EXPECT_EQ(names_of({"m.m.Conv2d_1a.conv", "m.m.Mixed_5b.branch1x1.conv", "m.m.Mixed_5b.branch_pool.bn"}),
            (LayerNames{"m.m.Conv2d_1a", "m.m.Mixed_5b", "m.m.Mixed_5b"}));
}

TEST(LayerNames, DescendIntoContainersOnly) {
  EXPECT_EQ(names_of({"bert.embeddings.word", "bert.encoder.layer.0.dense", "cls.predictions.decoder"}),
            (LayerNames{"bert.embeddings", "bert.encoder.layer.0", "cls"}));
}

TEST(LayerNames, AContainerNamesNoLayer) {
  EXPECT_EQ(names_of({"", "m", "m.model", "m.model.layers.0.attn", "m.model.norm", "m.head"}),
            (LayerNames{"", "", "", "m.model.layers.0", "m.model.norm", "m.head"}));
}

TEST(LayerNames, ANumberIsNeverSkippedAsCommon) {
  EXPECT_EQ(names_of({"rnn.0.x", "rnn.0.h"}), (LayerNames{"rnn.0", "rnn.0"}));
}

TEST(LayerNames, OnePathIsOneLayer) { EXPECT_EQ(names_of({"fc"}), LayerNames{"fc"}); }

TEST(LayerNames, StraySeparatorsDoNoHarm) {
  EXPECT_EQ(names_of({".", "a..b", "a.", ".0.x", "]", "a[", "c[]2", ":/"}),
            (LayerNames{"", "a", "a", ".0", "", "a", "c[]2", ""}));
}

// torchvision's vision transformers, by torch.export and by torch.onnx.
TEST(LayerNames, ANumberBehindAWordForLayersIsOne) {
  EXPECT_EQ(
      names_of({"conv_proj", "encoder.dropout", "encoder.layers.encoder_layer_0.ln_1",
                "encoder.layers.encoder_layer_0.mlp.0", "encoder.layers.encoder_layer_11.self_attention",
                "encoder.layers.encoder_layer_11.mlp.3", "encoder.ln", "heads.head"}),
      (LayerNames{"conv_proj", "encoder.dropout", "encoder.layers.encoder_layer_0", "encoder.layers.encoder_layer_0",
                  "encoder.layers.encoder_layer_11", "encoder.layers.encoder_layer_11", "encoder.ln", "heads"}));
}

TEST(LayerNames, DensenetHasFourBlocks) {
  EXPECT_EQ(names_of({"features.conv0", "features.norm0", "features.denseblock1.denselayer1.conv1",
                      "features.denseblock1.denselayer6.norm2", "features.transition1.conv",
                      "features.denseblock4.denselayer32.conv2", "features.norm5", "classifier"}),
            (LayerNames{"features.conv0", "features.norm0", "features.denseblock1", "features.denseblock1",
                        "features.transition1", "features.denseblock4", "features.norm5", "classifier"}));
}

// resnet, shufflenet, regnet of torchvision; MobileNet of Keras.
TEST(LayerNames, NumbersRightBehindAWordAreTheLayers) {
  EXPECT_EQ(names_of({"conv1", "layer1.0.conv1", "layer1.0.downsample.0", "layer4.2.bn3", "fc"}),
            (LayerNames{"conv1", "layer1.0", "layer1.0", "layer4.2", "fc"}));
  EXPECT_EQ(names_of({"stage2.0.branch1.0", "stage2.3.branch2.1", "conv5.0"}),
            (LayerNames{"stage2.0", "stage2.3", "conv5.0"}));
  EXPECT_EQ(names_of({"stem.0", "trunk_output.block1.block1-0.f.a.0", "trunk_output.block3.block3-2.proj.1"}),
            (LayerNames{"stem.0", "trunk_output.block1.block1-0", "trunk_output.block3.block3-2"}));
}

// flax, TensorFlow, Hugging Face's TensorFlow models, OpenAI's gpt-2, the old and the new ONNX exporter, JAX scopes.
TEST(LayerNames, AreFoundInThePathsOfAllExporters) {
  const auto name_of = [](const std::string& path) { return names_of({path, "head/dense", "other/dense"}).front(); };
  EXPECT_EQ(name_of("Transformer/encoderblock_3/MlpBlock_0/Dense_1"), "Transformer/encoderblock_3");
  EXPECT_EQ(name_of("bert/encoder/layer_3/attention/self"), "bert/encoder/layer_3");
  EXPECT_EQ(name_of("tf_bert/bert/encoder/layer_._3/attention"), "tf_bert/bert/encoder/layer_._3");
  EXPECT_EQ(name_of("model/h0/attn/c_attn"), "model/h0");
  EXPECT_EQ(name_of("/encoder/layer.0/attention/query"), "/encoder/layer.0");
  EXPECT_EQ(name_of("a/b/3/c"), "a/b/3");
  EXPECT_EQ(name_of("decoder/layers[3]/mlp"), "decoder/layers[3]");
  EXPECT_EQ(name_of("decoder.layers[3].mlp.up"), "decoder.layers[3]");
  EXPECT_EQ(name_of("trunk/block:2/conv"), "trunk/block:2");
  EXPECT_EQ(name_of("TransformerEncoderLayer_5.norm"), "TransformerEncoderLayer_5");
  EXPECT_EQ(name_of("stage_2/conv"), "stage_2");
  EXPECT_EQ(name_of("stage_2/block_1/conv"), "stage_2/block_1");
}

TEST(LayerNames, OtherNumbersAreNoLayers) {
  EXPECT_EQ(names_of({"Mixed_5b.branch3x3dbl_1.conv", "Mixed_5b.branch3x3dbl_2.conv", "Conv2d_1a_3x3.bn"}),
            (LayerNames{"Mixed_5b", "Mixed_5b", "Conv2d_1a_3x3"}));
  EXPECT_EQ(names_of({"net.conv2d_1x1.w", "net.relu_3.x", "net.top.dense_2", "net.top.bn_1"}),
            (LayerNames{"net.conv2d_1x1", "net.relu_3", "net.top", "net.top"}));
}

TEST(LayerNames, OneLayerHasOneNameHoweverItIsWritten) {
  EXPECT_EQ(names_of({"/enc/layer.0/fc", "enc.layer.0.norm", "enc.layer.1.norm"}),
            (LayerNames{"/enc/layer.0", "/enc/layer.0", "enc.layer.1"}));
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
