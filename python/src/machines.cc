// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "bindings.h"
#include "files/files.h"
#include "format/machine_toml.h"
#include "machine/library.h"

namespace berth::python {
namespace {

LoadedMachine load_machine(const std::string& text) {
  std::error_code ignored;
  const bool is_path =
      text.ends_with(".toml") || text.find('/') != std::string::npos || std::filesystem::exists(text, ignored);
  Machine machine = is_path ? unwrap(read_machine_toml(unwrap(read_file(text)), text)) : unwrap(builtin_machine(text));
  return {std::make_shared<const Machine>(std::move(machine))};
}

py::list devices_of_machine(const LoadedMachine& loaded) {
  py::list devices;
  for (const DeviceId id : loaded.machine->device_ids()) {
    const Device& device = loaded.machine->device(id);
    py::dict entry;
    entry["name"] = device.name;
    entry["model"] = device.model;
    entry["kind"] = std::string(name_of(device.kind));
    entry["memory_bytes"] = loaded.machine->capacity(id);
    devices.append(entry);
  }
  return devices;
}

}  // namespace

void add_machines(py::module_& module) {
  py::class_<LoadedMachine>(module, "Machine")
      .def_property_readonly("name", [](const LoadedMachine& self) { return self.machine->name(); })
      .def_property_readonly("description", [](const LoadedMachine& self) { return self.machine->description(); })
      .def("devices", devices_of_machine);
  module.def("load_machine", load_machine, py::arg("name_or_path"));
  module.def("machines", [] {
    std::vector<std::pair<std::string, std::string>> machines;
    for (const MachineInfo& machine : builtin_machines()) machines.emplace_back(machine.name, machine.summary);
    return machines;
  });
}

}  // namespace berth::python
