// SPDX-License-Identifier: Apache-2.0
// Sizes of the models against what their papers and public implementations say, within 2 %.
#include <gtest/gtest.h>

#include "graph_text.h"

namespace berth {
namespace {

void expect_near_2_percent(double value, double published) {
  EXPECT_GT(value, published * 0.98);
  EXPECT_LT(value, published * 1.02);
}

struct Published {
  const char* spec;
  double parameters;
  double multiply_adds;  // of one sample's inference; 0: not published
};

class Literature : public testing::TestWithParam<Published> {};

TEST_P(Literature, ParametersAndMultiplyAdds) {
  const Graph graph = must_build(GetParam().spec);
  expect_near_2_percent(parameter_count(graph), GetParam().parameters);
  if (GetParam().multiply_adds > 0) expect_near_2_percent(graph.total_flops() / 2, GetParam().multiply_adds);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Literature,
                         testing::Values(Published{"resnet-50,mode=infer,batch=1", 25.6e6, 4.1e9},
                                         Published{"resnet-152,mode=infer,batch=1", 60.2e6, 11.5e9},
                                         Published{"inception-v3,mode=infer,batch=1", 23.8e6, 5.7e9},
                                         Published{"bert-base,mode=infer", 110e6, 0},
                                         Published{"bert-base,mode=train", 110e6, 0},
                                         Published{"transformer-xl", 41e6, 0}, Published{"amoebanet", 82e6, 0},
                                         Published{"gpt2", 124.4e6, 0}, Published{"gpt3-175b", 175e9, 0},
                                         Published{"llama-8b", 8.03e9, 0}, Published{"moe-141b", 140.6e9, 0}));

TEST(Literature, TrainingCostsThreeTimesTheForwardPass) {
  // Every product has two of its own size in the reverse pass, but for those that read inputs alone.
  for (const std::string model : {"resnet-50", "bert-base,seq=64", "nmt-2,unroll=8", "wavenet"}) {
    SCOPED_TRACE(model);
    const double forward = must_build(model + ",mode=infer").total_flops();
    const double step = must_build(model + ",mode=train").total_flops();
    EXPECT_GT(step, forward * 2.9);
    EXPECT_LT(step, forward * 3.2);  // BERT's word head is there in training only
  }
}

TEST(Literature, TransformerFlopsFollowTheClosedForm) {
  // Llama: 2 flops per weight of the layers and token, 4 seq hidden per layer and token for attention, and the word
  // head at the last position only.
  const Graph graph = must_build("llama-8b,seq=512,mode=infer");
  const double head = 4096.0 * 128256;
  const double layers = parameter_count(graph) - 2 * head - 65 * 4096;
  const double expected = 2 * layers * 512 + 32 * 4.0 * 512 * 4096 * 512 + 2 * head;
  EXPECT_DOUBLE_EQ(graph.total_flops(), expected);
}

TEST(Literature, LstmFlopsFollowTheClosedForm) {
  // Two layers of 4 gates with [x, h] of 16 each, a softmax over 30 words, 5 steps of 3 sequences.
  const Graph graph = must_build("rnnlm,batch=3,unroll=5,hidden=16,vocab=30,mode=infer");
  EXPECT_DOUBLE_EQ(graph.total_flops(), 5 * 3 * 2.0 * (2 * 4 * 32 * 16 + 16 * 30));
}

TEST(Literature, OpCountsAreNearThePapers) {
  // In TensorFlow's grain, within a tenth.
  for (const auto& [model, published] :
       {std::pair{"rnnlm", 9021.0}, {"nmt-2", 28044.0}, {"nmt-4", 46600.0}, {"nmt-8", 83712.0}}) {
    EXPECT_NEAR(static_cast<double>(must_build(model).num_ops()), published, 0.1 * published) << model;
  }
  EXPECT_GE(must_build("nmt-8").num_ops(), 80'000U);
}

}  // namespace
}  // namespace berth
