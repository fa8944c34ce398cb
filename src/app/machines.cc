// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/table.h"
#include "format/machine_toml.h"
#include "machine/library.h"
#include "services/json/catalog_json.h"
#include "services/problem/problem_request.h"

namespace berth::app {
namespace {

struct MachinesFlags {
  std::string name;
  bool json = false;
};

std::string machines_text() {
  Table table = Table::of_facts();
  for (const MachineInfo& machine : builtin_machines()) {
    table.add({std::string(machine.name), std::string(machine.summary)});
  }
  for (const MachineFamily& family : kMachineFamilies) {
    table.add({std::string(family.name), std::string(family.summary)});
  }
  return table.text();
}

Result<Exit> run_machines(const MachinesFlags& flags) {
  if (flags.name.empty()) return printed(flags.json ? machines_json() : machines_text());
  BERTH_TRY(const auto machine, load_machine(flags.name));
  return printed(flags.json ? machine_json(*machine) : write_machine_toml(*machine));
}

}  // namespace

void add_machines_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<MachinesFlags>(
      app, exit, "machines", "list the built-in machines, or print one as TOML to start from", run_machines);
  command.add_option("NAME", flags.name, "a built-in machine, or a .toml file");
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth machines k40x4 > mine.toml");
}

}  // namespace berth::app
