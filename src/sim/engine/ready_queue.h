// SPDX-License-Identifier: Apache-2.0
// The ready nodes of a device when priorities differ: what has just become ready is mostly more urgent than what waits
// already.
#pragma once

#include <cstdint>

#include "sim/batch/urgency.h"
#include "sim/engine/fronted_heap.h"

namespace berth {

struct ReadyEntry {
  std::uint64_t urgency;
  std::uint32_t order;  // by ready time, then id; lower first
  std::uint32_t node;

  [[nodiscard]] bool before(const ReadyEntry& other) const {
    return static_cast<bool>(
        static_cast<unsigned>(urgency > other.urgency) |
        (static_cast<unsigned>(urgency == other.urgency) & static_cast<unsigned>(order < other.order)));
  }
};

using ReadyQueue = FrontedHeap<ReadyEntry>;

}  // namespace berth
