// SPDX-License-Identifier: Apache-2.0
// What a family of models gives to the table in zoo.cc.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "zoo/model_builder.h"
#include "zoo/settings.h"

namespace berth::zoo {

struct Model {
  std::string_view name;
  std::string_view summary;
  std::vector<ParameterInfo> parameters;
  // Number of ops of the graph, within a factor of two, without building it.
  double (*estimate_ops)(const Settings& settings);
  // Checks how parameters fit together, then writes the forward pass down and names its loss (training) or outputs.
  Status (*build)(ModelBuilder& builder, const Settings& settings);
};

// One function per family, each in the file of its name.
std::vector<Model> inception_models();       // inception-v3
std::vector<Model> resnet_models();          // resnet-50, resnet-152
std::vector<Model> rnnlm_models();           // rnnlm
std::vector<Model> nmt_models();             // nmt-2, nmt-4, nmt-8
std::vector<Model> bert_models();            // bert-base
std::vector<Model> transformer_xl_models();  // transformer-xl
std::vector<Model> wavenet_models();         // wavenet
std::vector<Model> amoebanet_models();       // amoebanet
std::vector<Model> gpt_models();             // gpt2, gpt3-175b
std::vector<Model> llama_models();           // llama-8b
std::vector<Model> moe_models();             // moe, moe-141b

// Parameters that every model has: mode, optimizer, dtype.
struct CommonDefaults {
  std::string_view mode = "train", optimizer = "sgd", dtype = "f32";
};
std::vector<ParameterInfo> with_common(std::vector<ParameterInfo> own, CommonDefaults defaults = {});

}  // namespace berth::zoo
