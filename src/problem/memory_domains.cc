// SPDX-License-Identifier: Apache-2.0
#include "problem/memory_domains.h"

namespace berth {

MemoryDomains::MemoryDomains(const Problem& problem) {
  const Machine& machine = problem.machine();
  const int pools = static_cast<int>(machine.pools().size());
  for (int pool = 0; pool < pools; ++pool) capacity_.push_back(problem.pool_capacity(pool));
  for (const DeviceId device : machine.device_ids()) {
    const int pool = machine.pool_of(device);
    of_.push_back(pool >= 0 ? static_cast<std::size_t>(pool) : capacity_.size());
    if (pool < 0) capacity_.push_back(problem.capacity(device));
  }
  devices_.assign(capacity_.size(), 0);
  for (const DeviceId device : machine.device_ids()) devices_[of(device)] |= device_bit(device);
}

}  // namespace berth
