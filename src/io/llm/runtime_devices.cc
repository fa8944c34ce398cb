// SPDX-License-Identifier: Apache-2.0
#include "io/llm/runtime_devices.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {

RuntimeDevices::RuntimeDevices(const Machine& machine, std::string backend)
    : machine_(machine), backend_(std::move(backend)) {
  if (const auto cpu = machine.first_of(DeviceKind::kCpu)) cpu_ = *cpu;
  for (const DeviceId id : machine.device_ids()) {
    if (machine.device(id).kind == DeviceKind::kGpu) gpus_.push_back(id);
  }
}

std::optional<std::size_t> RuntimeDevices::gpu_number(DeviceId device) const {
  const auto found = std::ranges::find(gpus_, device);
  if (found == gpus_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - gpus_.begin());
}

std::string RuntimeDevices::buffer_of(DeviceId device) const {
  const auto number = gpu_number(device);
  return number ? fmt::format("{}{}", backend_, *number) : "CPU";
}

std::optional<DeviceId> RuntimeDevices::of_buffer(std::string_view name) const {
  if (name == "CPU" || name.ends_with("_Host")) return cpu_;
  for (const DeviceId gpu : gpus_) {
    if (name == buffer_of(gpu)) return gpu;
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
