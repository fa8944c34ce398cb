// SPDX-License-Identifier: Apache-2.0
// A small binary heap of future events, ordered by time alone: what happens at one instant is handled as a whole, so
// the order within it does not matter. Only running ops, transfers on links and delayed control signals are ever in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace berth {

struct Event {
  enum class Kind : std::uint32_t { kOpEnd, kTransferEnd, kControl };
  Picoseconds time;
  Kind kind;
  std::uint32_t item;  // node or transfer
};

class EventQueue {
 public:
  void clear() { heap_.clear(); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] std::span<const Event> events() const { return heap_; }  // in no order but for the first
  [[nodiscard]] const Event& top() const { return heap_.front(); }
  [[nodiscard]] Picoseconds next_time() const { return heap_.front().time; }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (heap_[parent].time <= event.time) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  Event pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return top;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && heap_[child + 1].time < heap_[child].time) ++child;
      if (last.time <= heap_[child].time) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = last;
    return top;
  }

 private:
  std::vector<Event> heap_;
};

}  // namespace berth
