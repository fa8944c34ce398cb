// SPDX-License-Identifier: Apache-2.0
#include "app/output/option_table.h"

#include "app/output/output.h"
#include "files/json/json_writer.h"

namespace berth::app {
namespace {

std::string options_json(const learn::MethodInfo& method) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines)
      .key("planner")
      .value(method.name)
      .key("options")
      .begin_array(JsonLayout::kLines);
  for (const learn::Field& field : method.fields) {
    json.begin_object().key("name").value(field.name).key("help").value(field.help).key("presets").begin_object();
    for (const learn::Preset& preset : method.presets) json.key(preset.name).value(field.get(preset.options));
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

// The first preset is the default; the others show what differs from it.
std::string options_text(const learn::MethodInfo& method) {
  std::vector<Table::Align> columns(method.presets.size() + 2, Table::Align::kLeft);
  Table table(std::move(columns));
  std::vector<std::string> head{"option"};
  for (const learn::Preset& preset : method.presets) head.emplace_back(preset.name);
  head.emplace_back("");
  table.add(std::move(head));
  for (const learn::Field& field : method.fields) {
    std::vector<std::string> row{std::string(field.name)};
    const std::string usual = field.get(method.presets.front().options);
    for (const learn::Preset& preset : method.presets) {
      const std::string value = field.get(preset.options);
      row.push_back(&preset != &method.presets.front() && value == usual ? "" : value);
    }
    row.emplace_back(field.help);
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace

std::string option_table(const learn::MethodInfo& method, bool json) {
  return json ? options_json(method) : options_text(method);
}

}  // namespace berth::app
