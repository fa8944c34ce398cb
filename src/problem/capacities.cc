// SPDX-License-Identifier: Apache-2.0
#include "problem/capacities.h"

#include <algorithm>

namespace berth {

Capacities capacities_of(const Machine& machine, std::span<const Bytes> reserve) {
  Capacities capacities;
  for (const MemoryPool& pool : machine.pools()) capacities.pool.push_back(pool.memory);
  for (const DeviceId id : machine.device_ids()) {
    const Bytes reserved = reserve.empty() ? 0 : reserve[index(id)];
    const int pool = machine.pool_of(id);
    capacities.device.push_back(machine.device(id).memory);
    Bytes& capacity = pool >= 0 ? capacities.pool[static_cast<std::size_t>(pool)] : capacities.device.back();
    capacity = std::max<Bytes>(0, capacity - reserved);
  }
  for (const DeviceId id : machine.device_ids()) {  // now that all who draw on a pool have taken their part
    const int pool = machine.pool_of(id);
    if (pool >= 0) capacities.device[index(id)] = capacities.pool[static_cast<std::size_t>(pool)];
  }
  return capacities;
}

}  // namespace berth
