// SPDX-License-Identifier: Apache-2.0
#include "plan/list/static_memory.h"

#include <bit>

#include "plan/list/memory_passes.h"

namespace berth {

std::vector<Bytes> bytes_of_groups(const Problem& problem, const Grouping& grouping) {
  const Graph& graph = problem.graph();
  std::vector<Bytes> bytes(grouping.size(), 0);
  for (const OpId op : graph.ops()) {
    Bytes& sum = bytes[grouping.of(problem, op)];
    sum += problem.resident_bytes(op);
    if (graph.role(op) != Role::kCompute && graph.role(op) != Role::kInput) continue;
    for (const TensorId tensor : graph.outputs(op)) sum += graph.bytes(tensor);
  }
  return bytes;
}

MemoryDomains::MemoryDomains(const Problem& problem) {
  const Machine& machine = problem.machine();
  const int pools = static_cast<int>(machine.pools().size());
  for (int pool = 0; pool < pools; ++pool) capacity_.push_back(problem.pool_capacity(pool));
  for (const DeviceId device : machine.device_ids()) {
    const int pool = machine.pool_of(device);
    of_.push_back(pool >= 0 ? static_cast<std::size_t>(pool) : capacity_.size());
    if (pool < 0) capacity_.push_back(problem.capacity(device));
  }
}

StaticMemory::StaticMemory(const Problem& problem, const Grouping& grouping, double share)
    : counts_(share < kEndlessMemory), domains_(problem) {
  if (!counts_) return;
  need_ = bytes_of_groups(problem, grouping);
  for (std::size_t domain = 0; domain < domains_.size(); ++domain) {
    left_.push_back(static_cast<Bytes>(share * static_cast<double>(domains_.capacity(domain))));
  }
}

DeviceSet StaticMemory::with_room(std::uint32_t group, DeviceSet devices) const {
  if (!counts_ || std::has_single_bit(devices)) return devices;
  DeviceSet with = 0, roomiest = 0;
  Bytes most = 0;
  for (DeviceSet set = devices; set != 0; set &= set - 1) {
    const DeviceSet bit = set & -set;
    const Bytes left = left_[domains_.of(DeviceId(std::countr_zero(set)))];
    if (left >= need_[group]) with |= bit;
    if (roomiest == 0 || left > most) {
      roomiest = bit;
      most = left;
    }
  }
  return with != 0 ? with : roomiest;
}

}  // namespace berth
