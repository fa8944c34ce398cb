// SPDX-License-Identifier: Apache-2.0
// The memory of one run of the batch simulator's loop on a processor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/batch/loop/run_kind.h"

namespace berth::batch {

class CompactProblem;

class HostMemory {
 public:
  HostMemory(const CompactView& problem, const Capacities& capacities);

  void set_capacities(const Capacities& room);
  // Memory that an order of ready ops needs. False if there are more ops than ranks.
  bool prepare(Order order);
  // Every op where it is, before the first instant.
  void place(std::span<const std::uint8_t> device_of);

  [[nodiscard]] Workspace<1> workspace();
  [[nodiscard]] HotState<std::uint32_t> hot();

  const CompactView view;
  Capacities capacities;
  std::vector<std::uint32_t> nodes, ready, queued, timeless, delayed, since, items, rings;
  std::vector<std::uint16_t> counters;
  std::vector<Time> delay_ends, times;
  std::vector<std::uint64_t> ranks;
  bool ranks_are_clear = false;  // as every run that comes to its end leaves them
};

// Room for all that could wait, up to a size that no sensible plan needs.
Capacities host_capacities(const CompactProblem& problem);

}  // namespace berth::batch
