// SPDX-License-Identifier: Apache-2.0

#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/option_table.h"
#include "app/output/output.h"
#include "files/json/json_writer.h"

namespace berth::app {
namespace {

std::string planners_json() {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("planners").begin_array(JsonLayout::kLines);
  for (const CatalogEntry& entry : planner_catalog().entries()) {
    json.begin_object().key("name").value(entry.info.name).key("summary").value(entry.info.summary);
    json.key("learned").value(entry.learned).key("built").value(entry.built);
    json.key("uses_seed").value(entry.info.uses_seed);
    json.key("uses_threads").value(entry.info.uses_threads).end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

std::string planners_text() {
  Table table({Table::Align::kLeft, Table::Align::kLeft, Table::Align::kLeft, Table::Align::kLeft});
  table.add({"planner", "seed", "threads", ""});
  for (const CatalogEntry& entry : planner_catalog().entries()) {
    const std::string_view missing = entry.built ? "" : " (not in this build)";
    table.add({std::string(entry.info.name), entry.info.uses_seed ? "used" : "-",
               entry.info.uses_threads ? "all" : "one", fmt::format("{}{}", entry.info.summary, missing)});
  }
  return table.text();
}

struct PlannersFlags {
  std::string options;  // of this planner
  bool json = false;
};

Result<Exit> run_planners(const PlannersFlags& flags) {
  const bool json = flags.json;
  if (!flags.options.empty()) {
    BERTH_RETURN_IF_ERROR(planner_catalog().check_learned(flags.options));
    BERTH_RETURN_IF_ERROR(print(option_table(*learn::find_method(flags.options), json)));
    return Exit::kDone;
  }
  BERTH_RETURN_IF_ERROR(print(json ? planners_json() : planners_text()));
  return Exit::kDone;
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
