// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include "machine/expand.h"
#include "machine/routes.h"
#include "machine/validate.h"

namespace berth {

double Device::peak_flops(DType dtype) const {
  auto found = flops_per_s.find(dtype);
  // Matrix units multiply unsigned and 4-bit numbers as they do those of 8 bits.
  if (found == flops_per_s.end() && (dtype == DType::kU8 || dtype == DType::kI4)) found = flops_per_s.find(DType::kI8);
  return found != flops_per_s.end() ? found->second : flops_per_s.at(DType::kF32);
}

Result<Machine> Machine::make(std::string name, std::string description, std::vector<Device> devices,
                              std::vector<MemoryPool> pools, std::vector<std::string> switches, std::vector<Link> links,
                              Execution execution) {
  BERTH_RETURN_IF_ERROR(check_execution(execution));
  if (const auto mistake = find_mistake(devices, pools, switches, links)) return mistake->error;
  BERTH_TRY(Expansion expansion, expand_links(devices, switches, links));
  BERTH_TRY(Routes routes, find_routes(devices, switches.size(), expansion.channels));
  Machine machine;
  machine.name_ = std::move(name);
  machine.description_ = std::move(description);
  machine.execution_ = execution;
  for (const Device& device : devices) {
    int pool = -1;
    for (std::size_t i = 0; i < pools.size(); ++i) {
      if (!device.pool.empty() && pools[i].name == device.pool) pool = static_cast<int>(i);
    }
    machine.pool_of_.push_back(pool);
  }
  machine.devices_ = std::move(devices);
  machine.pools_ = std::move(pools);
  machine.switches_ = std::move(switches);
  machine.links_ = std::move(links);
  machine.channels_ = std::move(expansion.channels);
  machine.queue_names_ = std::move(expansion.queue_names);
  machine.route_begin_ = std::move(routes.begin);
  machine.route_channels_ = std::move(routes.channels);
  return machine;
}

Bytes Machine::capacity(DeviceId id) const {
  const int pool = pool_of(id);
  return pool < 0 ? device(id).memory : pools_[static_cast<std::size_t>(pool)].memory;
}

std::optional<DeviceId> Machine::find_device(std::string_view name) const {
  for (const DeviceId id : device_ids()) {
    if (device(id).name == name) return id;
  }
  return std::nullopt;
}

std::optional<DeviceId> Machine::first_of(DeviceKind kind) const {
  for (const DeviceId id : device_ids()) {
    if (device(id).kind == kind) return id;
  }
  return std::nullopt;
}

std::vector<DeviceId> Machine::accelerators() const {
  std::vector<DeviceId> found;
  for (const DeviceId id : device_ids()) {
    if (device(id).kind != DeviceKind::kCpu) found.push_back(id);
  }
  return found;
}

}  // namespace berth
