// SPDX-License-Identifier: Apache-2.0
#include "serving/files/runtime_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/devices.h"

namespace berth {
namespace {

bool is_another_makers(const Device& device) {
  const DeviceModel* model = find_device_model(device.model);
  return model != nullptr && model->summary.find("NVIDIA") == std::string_view::npos;
}

}  // namespace

std::string default_backend(const Machine& machine) {
  const bool others = std::ranges::any_of(machine.devices(), [](const Device& device) {
    return device.kind == DeviceKind::kGpu && is_another_makers(device);
  });
  return others ? "Vulkan" : "CUDA";
}

RuntimeDevices::RuntimeDevices(const Machine& machine, LlamaNames names)
    : machine_(machine), names_(machine.num_devices()) {
  if (const auto cpu = machine.first_of(DeviceKind::kCpu)) cpu_ = *cpu;
  for (const DeviceId id : machine.device_ids()) {
    if (machine.device(id).kind == DeviceKind::kGpu) gpus_.push_back(id);
  }
  if (names.backend.empty()) names.backend = default_backend(machine);
  names.servers.resize(machine.num_devices());
  name_gpus(names);
}

// llama.cpp counts the devices of all servers together, in the order of --rpc; a buffer has its number at its server.
void RuntimeDevices::name_gpus(const LlamaNames& names) {
  std::size_t local = 0, remote = 0;
  for (const DeviceId gpu : gpus_) {
    const std::string& server = names.servers[index(gpu)];
    if (server.empty()) {
      names_[index(gpu)].device = names_[index(gpu)].buffer = fmt::format("{}{}", names.backend, local++);
    } else if (std::ranges::find(servers_, server) == servers_.end()) {
      servers_.push_back(server);
    }
  }
  for (const std::string& server : servers_) {
    std::size_t here = 0;
    for (const DeviceId gpu : gpus_) {
      if (names.servers[index(gpu)] != server) continue;
      names_[index(gpu)] = {fmt::format("RPC{}", remote++), fmt::format("RPC{}[{}]", here++, server)};
    }
  }
}

std::optional<std::size_t> RuntimeDevices::gpu_number(DeviceId device) const {
  const auto found = std::ranges::find(gpus_, device);
  if (found == gpus_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - gpus_.begin());
}

std::string RuntimeDevices::device_name(DeviceId device) const { return names_[index(device)].device; }
std::string RuntimeDevices::buffer_of(DeviceId device) const { return names_[index(device)].buffer; }

std::optional<DeviceId> RuntimeDevices::of_buffer(std::string_view name) const {
  if (name == "CPU" || name.ends_with("_Host")) return cpu_;
  for (const DeviceId gpu : gpus_) {
    if (name == buffer_of(gpu) || name == device_name(gpu)) return gpu;
  }
  const auto named = machine_.find_device(name);
  const bool usable = named && (*named == cpu_ || gpu_number(*named));
  return usable ? named : std::nullopt;
}

std::string RuntimeDevices::known() const {
  std::string text = "CPU";
  for (const DeviceId gpu : gpus_) text += fmt::format(", {}", buffer_of(gpu));
  return text;
}

}  // namespace berth
