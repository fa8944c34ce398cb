// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/table.h"
#include "base/text.h"
#include "services/json/catalog_json.h"
#include "serving/presets.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

struct ModelsFlags {
  std::string name;
  bool json = false;
};

std::string models_text() {
  Table table = Table::of_facts();
  for (const ModelInfo& model : zoo_models())
    table.add({fmt::format("zoo:{}", model.name), std::string(model.summary)});
  for (const llm::Preset& preset : llm::presets()) {
    table.add({fmt::format("zoo:{},mode=decode", preset.name), fmt::format("{}, as it is served", preset.summary)});
  }
  return table.text();
}

std::string model_text(const ModelInfo& model) {
  Table table = Table::headed({"parameter", "default", "allowed", ""});
  for (const ParameterInfo& parameter : model.parameters) {
    table.add(
        {std::string(parameter.name), parameter.default_text(), parameter.allowed_text(), std::string(parameter.help)});
  }
  const ParameterInfo& first = model.parameters.front();
  return fmt::format("zoo:{}: {}\n{}for example zoo:{},{}={}\n", model.name, model.summary, table.text(), model.name,
                     first.name, first.default_text());
}

Result<const ModelInfo*> find_model(std::string_view name) {
  if (name.starts_with("zoo:")) name.remove_prefix(4);
  std::vector<std::string_view> names;
  for (const ModelInfo& model : zoo_models()) {
    if (model.name == name) return &model;
    names.push_back(model.name);
  }
  return bad_input("no model named '{}'{} (berth models lists all)", name, did_you_mean(name, names));
}

Result<Exit> run_models(const ModelsFlags& flags) {
  if (flags.name.empty()) return printed(flags.json ? models_json() : models_text());
  BERTH_TRY(const ModelInfo* model, find_model(flags.name));
  return printed(flags.json ? model_json(*model) : model_text(*model));
}

}  // namespace

void add_models_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<ModelsFlags>(app, exit, "models", "list the models of the zoo, or the parameters of one", run_models);
  command.add_option("NAME", flags.name, "a model");
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth models nmt-4");
}

}  // namespace berth::app
