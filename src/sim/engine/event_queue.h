// SPDX-License-Identifier: Apache-2.0
// Future events, ordered by time alone: what happens at one instant is handled as a whole, so the order within it does
// not matter. Only running ops, transfers on links and delayed control signals are ever in it: mostly a handful.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sim/engine/fronted_heap.h"

namespace berth {

struct Event {
  enum class Kind : std::uint32_t { kOpEnd, kTransferEnd, kControl };
  Picoseconds time;
  Kind kind;
  std::uint32_t item;  // node or transfer

  [[nodiscard]] bool before(const Event& other) const { return time < other.time; }
};

using EventQueue = FrontedHeap<Event>;

}  // namespace berth
