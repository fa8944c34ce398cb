// SPDX-License-Identifier: Apache-2.0
#include "serving/files/runtime_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "machine/devices.h"

namespace berth {
namespace {

// As llama.cpp prints it, however it is written.
std::string as_printed(const std::string& backend) {
  std::string lower = backend;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr auto kBackends = std::to_array<std::pair<std::string_view, std::string_view>>({{"cuda", "CUDA"},
                                                                                           {"rocm", "ROCm"},
                                                                                           {"hip", "ROCm"},
                                                                                           {"vulkan", "Vulkan"},
                                                                                           {"sycl", "SYCL"},
                                                                                           {"metal", "MTL"},
                                                                                           {"mtl", "MTL"}});
  const auto found = std::ranges::find(kBackends, lower, &std::pair<std::string_view, std::string_view>::first);
  return found != kBackends.end() ? std::string(found->second) : backend;
}

// Of a card that the library does not have: by what its owner calls it.
bool looks_like_apples(const Device& device) {
  std::string text = device.model + " " + device.name;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_chip = text.size() > 1 && text[0] == 'm' && text[1] >= '1' && text[1] <= '9';
  return is_chip || text.find("apple") != std::string::npos;
}

// The backend that people build for a card. Intel's run faster under Vulkan than under SYCL (llama.cpp issue 26010).
std::string_view backend_of(const Device& device) {
  switch (family_of(device.model)) {
    case DeviceFamily::kApple:
      return "MTL";
    case DeviceFamily::kRadeon:
    case DeviceFamily::kRadeonUnified:
    case DeviceFamily::kIntel:
      return "Vulkan";
    case DeviceFamily::kInstinct:
      return "ROCm";
    case DeviceFamily::kUnknown:
      return looks_like_apples(device) ? "MTL" : "CUDA";
    default:
      return "CUDA";
  }
}

}  // namespace

std::string default_backend(const Machine& machine) {
  std::string_view found;
  for (const Device& device : machine.devices()) {
    if (device.kind != DeviceKind::kGpu) continue;
    const std::string_view backend = backend_of(device);
    if (!found.empty() && backend != found) return "Vulkan";  // the one that runs cards of several makers
    found = backend;
  }
  return std::string(found.empty() ? "CUDA" : found);
}

RuntimeDevices::RuntimeDevices(const Machine& machine, LlamaNames names)
    : machine_(machine), names_(machine.num_devices()) {
  if (const auto cpu = machine.first_of(DeviceKind::kCpu)) cpu_ = *cpu;
  for (const DeviceId id : machine.device_ids()) {
    if (machine.device(id).kind == DeviceKind::kGpu) gpus_.push_back(id);
  }
  names.backend = names.backend.empty() ? default_backend(machine) : as_printed(names.backend);
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
