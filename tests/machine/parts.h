// SPDX-License-Identifier: Apache-2.0
// Smallest valid devices and links for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace berth {

inline Device device_of_kind(std::string name, DeviceKind kind) {
  Device device;
  device.name = std::move(name);
  device.kind = kind;
  device.memory = 1024;
  device.flops_per_s[DType::kF32] = 1e12;
  device.bytes_per_s = 1e9;
  return device;
}
inline Device cpu(std::string name) { return device_of_kind(std::move(name), DeviceKind::kCpu); }
inline Device gpu(std::string name) { return device_of_kind(std::move(name), DeviceKind::kGpu); }

// A link whose time for 1 MiB is its latency, to the picosecond.
inline Link wire(std::string from, std::string to, double seconds, Duplex duplex = Duplex::kFull) {
  return {.from = std::move(from), .to = std::move(to), .bytes_per_s = 1e30, .latency_s = seconds, .duplex = duplex};
}

// "gpu0>cpu cpu>gpu1": the channels of a route.
inline std::string route_text(const Machine& machine, std::string_view from, std::string_view to) {
  std::string text;
  for (const std::uint16_t channel : machine.route(*machine.find_device(from), *machine.find_device(to))) {
    text += (text.empty() ? "" : " ") + machine.channels()[channel].name;
  }
  return text;
}

}  // namespace berth
