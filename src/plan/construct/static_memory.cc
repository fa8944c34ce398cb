// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/static_memory.h"

#include <bit>

#include "machine/device_set.h"
#include "plan/construct/memory_passes.h"

namespace berth {

StaticMemory::StaticMemory(const Problem& problem, const Grouping& grouping, double share)
    : counts_(share < kEndlessMemory), domains_(problem) {
  if (!counts_) return;
  need_ = bytes_of_groups(problem, grouping);
  for (const Bytes capacity : domains_.capacities())
    left_.push_back(static_cast<Bytes>(share * static_cast<double>(capacity)));
}

DeviceSet StaticMemory::with_room(std::uint32_t group, DeviceSet devices) const {
  if (!counts_ || std::has_single_bit(devices)) return devices;
  DeviceSet with = 0, roomiest = 0;
  Bytes most = 0;
  for (DeviceSet set = devices; set != 0; set &= set - 1) {
    const DeviceSet bit = set & -set;
    const Bytes left = left_[domains_.of(lowest_device(set))];
    if (left >= need_[group]) with |= bit;
    if (roomiest == 0 || left > most) {
      roomiest = bit;
      most = left;
    }
  }
  return with != 0 ? with : roomiest;
}

}  // namespace berth
