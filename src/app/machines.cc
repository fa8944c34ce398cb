// SPDX-License-Identifier: Apache-2.0

#include "app/flags/options.h"
#include "app/output/output.h"
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
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("machines").begin_array(JsonLayout::kLines);
  for (const MachineInfo& machine : builtin_machines()) {
    json.begin_object().key("name").value(machine.name).key("summary").value(machine.summary).end_object();
  }
  json.end_array().key("families").begin_array(JsonLayout::kLines);
  json.begin_object().key("name").value(kProcessorFamily).key("summary").value(kProcessorSummary).end_object();
  json.end_array().end_object();
  return std::move(json).take();
}

std::string machines_text() {
  Table table({Table::Align::kLeft, Table::Align::kLeft});
  for (const MachineInfo& machine : builtin_machines()) {
    table.add({std::string(machine.name), std::string(machine.summary)});
  }
  table.add({std::string(kProcessorFamily), std::string(kProcessorSummary)});
  return table.text();
}

std::string machine_json(const Machine& machine) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines)
      .key("name")
      .value(machine.name())
      .key("description")
      .value(machine.description())
      .key("overlap")
      .value(machine.overlap())
      .key("region_cost_s")
      .value(machine.execution().region_cost_s);
  if (const auto& accuracy = machine.accuracy()) {
    json.key("accuracy").begin_array().value(accuracy->low).value(accuracy->high).end_array();
  }
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    json.begin_object().key("name").value(device.name).key("model").value(device.model);
    json.key("kind").value(name_of(device.kind)).key("memory_bytes").value(machine.capacity(id));
    json.key("pool");
    if (device.pool.empty()) {
      json.null();
    } else {
      json.value(device.pool);
    }
    json.key("flops_per_s").begin_object();
    for (const auto& [dtype, rate] : device.flops_per_s) json.key(name_of(dtype)).value(rate);
    json.end_object().key("bytes_per_s").value(device.bytes_per_s).key("launch_s").value(device.launch_s);
    json.key("lanes").value(device.lanes).key("watts").value(device.watts).end_object();
  }
  json.end_array().key("links").begin_array(JsonLayout::kLines);
  for (const Channel& channel : machine.channels()) {
    json.begin_object().key("name").value(channel.name).key("bytes_per_s").value(channel.bytes_per_s);
    json.key("latency_s").value(channel.latency_s).key("queue");
    if (channel.queue < 0) {
      json.null();
    } else {
      json.value(machine.queues()[static_cast<std::size_t>(channel.queue)]);
    }
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

Result<Exit> run_machines(const MachinesFlags& flags) {
  if (flags.name.empty()) {
    BERTH_RETURN_IF_ERROR(print(flags.json ? machines_json() : machines_text()));
    return Exit::kDone;
  }
  BERTH_TRY(const auto machine, load_machine(flags.name));
  BERTH_RETURN_IF_ERROR(print(flags.json ? machine_json(*machine) : write_machine_toml(*machine)));
  return Exit::kDone;
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
