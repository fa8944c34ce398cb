// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "app/flags/options.h"
#include "app/output/table.h"
#include "files/json/json_writer.h"
#include "format/machine_toml.h"
#include "machine/library.h"
#include "services/problem/problem_request.h"

namespace berth::app {
namespace {

struct MachinesFlags {
  std::string name;
  bool json = false;
};

std::string machines_json() {
  return json_document([&](JsonWriter& json) {
    json.objects("machines", builtin_machines(),
                 [&](const MachineInfo& machine) { json.members("name", machine.name, "summary", machine.summary); });
    json.objects("families", std::array{kProcessorSummary},
                 [&](std::string_view summary) { json.members("name", kProcessorFamily, "summary", summary); });
  });
}

std::string machines_text() {
  Table table = Table::of_facts();
  for (const MachineInfo& machine : builtin_machines()) {
    table.add({std::string(machine.name), std::string(machine.summary)});
  }
  table.add({std::string(kProcessorFamily), std::string(kProcessorSummary)});
  return table.text();
}

void write_device(JsonWriter& json, const Machine& machine, DeviceId id) {
  const Device& device = machine.device(id);
  json.members("name", device.name, "model", device.model, "kind", name_of(device.kind), "memory_bytes",
               machine.capacity(id), "pool", device.pool.empty() ? std::nullopt : std::optional(device.pool));
  json.object("flops_per_s", [&] {
    for (const auto& [dtype, rate] : device.flops_per_s) json.members(name_of(dtype), rate);
  });
  json.members("bytes_per_s", device.bytes_per_s, "launch_s", device.launch_s, "lanes", device.lanes, "watts",
               device.watts);
}

void write_channel(JsonWriter& json, const Machine& machine, const Channel& channel) {
  std::optional<std::string> queue;
  if (channel.queue >= 0) queue = machine.queues()[static_cast<std::size_t>(channel.queue)];
  json.members("name", channel.name, "bytes_per_s", channel.bytes_per_s, "latency_s", channel.latency_s, "queue",
               queue);
}

std::string machine_json(const Machine& machine) {
  return json_document([&](JsonWriter& json) {
    json.members("name", machine.name(), "description", machine.description(), "overlap", machine.overlap(),
                 "region_cost_s", machine.execution().region_cost_s);
    if (const auto& accuracy = machine.accuracy()) json.list("accuracy", std::array{accuracy->low, accuracy->high});
    json.objects("devices", machine.device_ids(), [&](DeviceId id) { write_device(json, machine, id); });
    json.objects("links", machine.channels(), [&](const Channel& channel) { write_channel(json, machine, channel); });
  });
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
