// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth-learned`: the learned planners and their options. train_run.cc, trained_policy.cc and
// explain_policy.cc have the rest.
#include <algorithm>

#include "app/learn/run_config.h"
#include "app/learned.h"
#include "app/output.h"
#include "io/json_writer.h"
#include "learn/planners.h"

namespace berth::app {
namespace {

struct Preset {
  std::string name;
  learn::Options options;
};

std::vector<Preset> presets_of(std::string_view planner) {
  std::vector<Preset> presets;
  for (const std::string_view name : learn::presets_of(planner)) {
    presets.push_back({std::string(name), learn::preset(planner, name).value()});
  }
  return presets;
}

std::string options_json(std::string_view planner, const std::vector<Preset>& presets) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("planner").value(planner).key("options").begin_array(JsonLayout::kLines);
  for (const learn::Field& field : learn::option_fields()) {
    if (!learn::has_option(planner, field.name)) continue;
    json.begin_object().key("name").value(field.name).key("help").value(field.help).key("presets").begin_object();
    for (const Preset& preset : presets) json.key(preset.name).value(field.get(preset.options));
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

// The first preset is the default; the others show what differs from it.
std::string options_text(std::string_view planner, const std::vector<Preset>& presets) {
  std::vector<Table::Align> columns(presets.size() + 2, Table::Align::kLeft);
  Table table(std::move(columns));
  std::vector<std::string> head{"option"};
  for (const Preset& preset : presets) head.push_back(preset.name);
  head.emplace_back("");
  table.add(std::move(head));
  for (const learn::Field& field : learn::option_fields()) {
    if (!learn::has_option(planner, field.name)) continue;
    std::vector<std::string> row{std::string(field.name)};
    const std::string usual = field.get(presets.front().options);
    for (const Preset& preset : presets) {
      const std::string value = field.get(preset.options);
      row.push_back(&preset != &presets.front() && value == usual ? "" : value);
    }
    row.emplace_back(field.help);
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace

bool has_learned_planners() { return true; }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& flags) {
  BERTH_TRY(const learn::Options options, options_of(name, flags));
  const std::string device = flags.policy_device.empty() ? "cpu" : flags.policy_device;
  const std::string planner(name);
  return ChosenPlanner{planner, [=, judged = flags.judged_by_search] {
                         return learn::make_learned_planner(planner, options, device, judged);
                       }};
}

Result<std::string> option_table(std::string_view planner, bool json) {
  const std::vector<Preset> presets = presets_of(planner);
  return json ? options_json(planner, presets) : options_text(planner, presets);
}

}  // namespace berth::app
