// SPDX-License-Identifier: Apache-2.0
#include "zoo/zoo.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "zoo/autodiff.h"
#include "zoo/models/model.h"

namespace berth {
namespace zoo {

std::vector<ParameterInfo> with_common(std::vector<ParameterInfo> own, CommonDefaults defaults) {
  own.push_back(
      choice("mode", defaults.mode, "train|infer", "a training step (forward, backward, update) or one inference"));
  own.push_back(
      choice("optimizer", defaults.optimizer, "sgd|momentum|adam", "update rule; decides the copies of a parameter"));
  own.push_back(choice("dtype", defaults.dtype, "f64|f32|tf32|f16|bf16|f8", "type of parameters and activations"));
  return own;
}

}  // namespace zoo

namespace {

const std::vector<zoo::Model>& all_models() {
  static const std::vector<zoo::Model> models = [] {
    std::vector<zoo::Model> all;
    for (auto* family : {zoo::inception_models, zoo::resnet_models, zoo::rnnlm_models, zoo::nmt_models,
                         zoo::bert_models, zoo::transformer_xl_models, zoo::wavenet_models, zoo::amoebanet_models,
                         zoo::gpt_models, zoo::llama_models, zoo::moe_models}) {
      for (const zoo::Model& model : family()) all.push_back(model);
    }
    return all;
  }();
  return models;
}

Result<const zoo::Model*> find_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const zoo::Model& model : all_models()) {
    if (model.name == name) return &model;
    names.push_back(model.name);
  }
  return bad_input("no zoo model named '{}'{} (berth models lists all {})", name, did_you_mean(name, names),
                   names.size());
}

}  // namespace

std::span<const ModelInfo> zoo_models() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> all;
    for (const zoo::Model& model : all_models()) all.push_back({model.name, model.summary, model.parameters});
    return all;
  }();
  return infos;
}

Result<Graph> build_zoo_model(std::string_view spec) {
  const std::vector<std::string_view> parts = split(spec, ',');
  BERTH_TRY(const zoo::Model* model, find_model(trim(parts[0])));
  Settings settings(model->parameters);
  for (std::size_t i = 1; i < parts.size(); ++i) BERTH_RETURN_IF_ERROR(settings.set(model->name, parts[i]));
  if (const double ops = model->estimate_ops(settings); ops > kMaxZooOps) {
    return bad_input("zoo:{}: about {} ops, more than the {} a zoo model may have; choose fewer layers or steps", spec,
                     format_count(ops), format_count(kMaxZooOps));
  }
  ModelBuilder builder{std::string(spec), *dtype_from_name(settings.word("dtype")), settings.training()};
  if (Status built = model->build(builder, settings); !built.ok())
    return within(fmt::format("zoo:{}", spec), built.error());
  if (settings.training()) add_training_step(builder, *optimizer_from_name(settings.word("optimizer")));
  return std::move(builder).finish();
}

}  // namespace berth
