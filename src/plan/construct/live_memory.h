// SPDX-License-Identifier: Apache-2.0
// LiveMemory: bytes held per device while ops are placed in about the order of time, as in Baechi (Jeon et al., 2020):
// outputs and received copies are held until the last consumer was placed, parameters and the like for good. The
// simulator is exact; this is what a scheduler can know on its way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/construct/partial_schedule.h"
#include "problem/memory_domains.h"

namespace berth {

class LiveMemory {
 public:
  // `share` of every capacity may be used.
  LiveMemory(const Problem& problem, const Grouping& grouping, double share);

  // Bytes that running the op on the device would add there.
  [[nodiscard]] Bytes need(const PartialSchedule& schedule, OpId op, DeviceId device) const;
  [[nodiscard]] Bytes room(DeviceId device) const { return limit_[domains_.of(device)] - held_[domains_.of(device)]; }

  // After schedule.settle(op, device).
  void place(const PartialSchedule& schedule, OpId op, DeviceId device);

 private:
  struct Holding {
    std::size_t domain;
    Bytes bytes;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void find_storages();
  void hold(TensorId storage, DeviceId device, Bytes bytes);
  void use(TensorId storage);
  [[nodiscard]] bool stays_alive(TensorId storage) const { return uses_[index(storage)] > 0; }
  [[nodiscard]] Bytes output_bytes(OpId op) const;

  const Problem& problem_;
  const Graph& graph_;
  MemoryDomains domains_;
  std::vector<Bytes> limit_, held_;     // per domain
  std::vector<Bytes> fixed_bytes_;      // per group: held from the moment it has a device
  std::vector<TensorId> storage_;       // per tensor: itself, or what the view looks at in the end
  std::vector<std::uint32_t> uses_;     // per storage: consumers not placed yet, through views too
  std::vector<std::uint32_t> holding_;  // per storage, into holdings_
  std::vector<Holding> holdings_;
};

}  // namespace berth
