// SPDX-License-Identifier: Apache-2.0
// StaticMemory: bytes given out per device (or pool) when nothing is ever freed: parameters and outputs of all ops
// there. For schedulers that do not place ops in the order of time.
#pragma once

#include <span>
#include <vector>

#include "cost/memory_domains.h"
#include "cost/problem.h"
#include "plan/coarsen/grouping.h"

namespace berth {

class StaticMemory {
 public:
  // `share` of every capacity may be given out; kEndlessMemory: memory does not count.
  StaticMemory(const Problem& problem, const Grouping& grouping, double share);

  // Those of the devices that still hold the group; if none does, the one with most room.
  [[nodiscard]] DeviceSet with_room(std::uint32_t group, DeviceSet devices) const;
  void take(std::uint32_t group, DeviceId device) {
    if (counts_) left_[domains_.of(device)] -= need_[group];
  }

 private:
  bool counts_;
  MemoryDomains domains_;
  std::vector<Bytes> need_, left_;
};

}  // namespace berth
