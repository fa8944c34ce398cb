// SPDX-License-Identifier: Apache-2.0
// StaticMemory: bytes given out per device (or pool) when nothing is ever freed: parameters and outputs of all ops
// there. For schedulers that do not place ops in the order of time.
#pragma once

#include <span>
#include <vector>

#include "cost/problem.h"
#include "plan/grouping.h"

namespace berth {

// Parameters and the like, and all outputs that take storage, per group.
std::vector<Bytes> bytes_of_groups(const Problem& problem, const Grouping& grouping);

// Devices that share memory have one number: pools first, then devices with memory of their own.
class MemoryDomains {
 public:
  explicit MemoryDomains(const Problem& problem);
  [[nodiscard]] std::size_t size() const { return capacity_.size(); }
  [[nodiscard]] std::size_t of(DeviceId device) const { return of_[index(device)]; }
  [[nodiscard]] Bytes capacity(std::size_t domain) const { return capacity_[domain]; }

 private:
  std::vector<std::size_t> of_;
  std::vector<Bytes> capacity_;
};

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
