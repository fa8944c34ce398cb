// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/table.h"
#include "runs/methods.h"
#include "services/json/catalog_json.h"

namespace berth::app {
namespace {

std::string planners_text() {
  Table table = Table::headed({"planner", "seed", "threads", ""});
  for (const CatalogEntry& entry : planner_catalog().entries()) {
    const std::string_view missing = entry.built ? "" : " (not in this build)";
    table.add({std::string(entry.info.name), entry.info.uses_seed ? "used" : "-",
               entry.info.uses_threads ? "all" : "one", fmt::format("{}{}", entry.info.summary, missing)});
  }
  const std::string_view remedy = learned_remedy();
  return remedy.empty() ? table.text() : fmt::format("{}\nlearned planners: {}\n", table.text(), remedy);
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

struct PlannersFlags {
  std::string options;  // of this planner
  bool json = false;
};

Result<Exit> run_planners(const PlannersFlags& flags) {
  if (flags.options.empty()) return printed(flags.json ? planners_json(planner_catalog()) : planners_text());
  BERTH_RETURN_IF_ERROR(planner_catalog().check_learned(flags.options));
  const learn::MethodInfo& method = *learn::find_method(flags.options);
  return printed(flags.json ? options_json(method) : options_text(method));
}

}  // namespace

void add_planners_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<PlannersFlags>(app, exit, "planners", "list the planners, or the options of one", run_planners);
  add_text(command, "--options", flags.options, "PLANNER",
           "list the options of this learned planner, with their presets");
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth planners\n  berth planners --options hierarchical");
}

}  // namespace berth::app
