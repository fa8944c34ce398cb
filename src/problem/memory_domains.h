// SPDX-License-Identifier: Apache-2.0
// MemoryDomains: which devices fill the same memory, and how much there is. A pool is one domain, a device with memory
// of its own another; pools come first.
#pragma once

#include <vector>

#include "problem/problem.h"

namespace berth {

class MemoryDomains {
 public:
  explicit MemoryDomains(const Problem& problem);

  [[nodiscard]] std::size_t size() const { return capacity_.size(); }
  [[nodiscard]] std::size_t of(DeviceId device) const { return of_[index(device)]; }
  [[nodiscard]] Bytes capacity(std::size_t domain) const { return capacity_[domain]; }
  [[nodiscard]] const std::vector<Bytes>& capacities() const { return capacity_; }
  [[nodiscard]] DeviceSet devices(std::size_t domain) const { return devices_[domain]; }

 private:
  std::vector<std::size_t> of_;
  std::vector<Bytes> capacity_;
  std::vector<DeviceSet> devices_;
};

}  // namespace berth
