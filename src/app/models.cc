// SPDX-License-Identifier: Apache-2.0

#include "app/flags/options.h"
#include "app/output/output.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "serving/presets.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

struct ModelsFlags {
  std::string name;
  bool json = false;
};

using enum Table::Align;

void write_model(JsonWriter& json, const ModelInfo& model) {
  json.begin_object(JsonLayout::kLines).key("name").value(model.name).key("summary").value(model.summary);
  json.key("parameters").begin_array(JsonLayout::kLines);
  for (const ParameterInfo& parameter : model.parameters) {
    json.begin_object().key("name").value(parameter.name).key("default").value(parameter.default_text());
    json.key("allowed").value(parameter.allowed_text()).key("help").value(parameter.help).end_object();
  }
  json.end_array().end_object();
}

std::string models_json() {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("models").begin_array(JsonLayout::kLines);
  for (const ModelInfo& model : zoo_models()) write_model(json, model);
  json.end_array().key("served").begin_array(JsonLayout::kLines);
  for (const llm::Preset& preset : llm::presets()) {
    json.begin_object().key("name").value(preset.name).key("summary").value(preset.summary).end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

std::string model_json(const ModelInfo& model) {
  JsonWriter json;
  write_model(json, model);
  return std::move(json).take();
}

std::string models_text() {
  Table table({kLeft, kLeft});
  for (const ModelInfo& model : zoo_models())
    table.add({fmt::format("zoo:{}", model.name), std::string(model.summary)});
  for (const llm::Preset& preset : llm::presets()) {
    table.add({fmt::format("zoo:{},mode=decode", preset.name), fmt::format("{}, as it is served", preset.summary)});
  }
  return table.text();
}

std::string model_text(const ModelInfo& model) {
  Table table({kLeft, kLeft, kLeft, kLeft});
  table.add({"parameter", "default", "allowed", ""});
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
  if (flags.name.empty()) {
    BERTH_RETURN_IF_ERROR(print(flags.json ? models_json() : models_text()));
    return Exit::kDone;
  }
  BERTH_TRY(const ModelInfo* model, find_model(flags.name));
  BERTH_RETURN_IF_ERROR(print(flags.json ? model_json(*model) : model_text(*model)));
  return Exit::kDone;
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
