// SPDX-License-Identifier: Apache-2.0
// The ready nodes of a device when priorities differ. The first few to go stand sorted in front, the others in a binary
// heap: what has just become ready is mostly more urgent than what waits already, so that few nodes ever see the heap.
// Comparisons compile to arithmetic, since which of two nodes goes first is a coin toss that no branch predictor wins.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/batch/urgency.h"

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

class ReadyQueue {
 public:
  void clear() {
    heap_.clear();
    front_size_ = 0;
  }
  [[nodiscard]] bool empty() const { return front_size_ == 0 && heap_.empty(); }
  // In no order.
  void append_to(std::vector<ReadyEntry>& entries) const {
    entries.insert(entries.end(), front_.begin(), front_.begin() + front_size_);
    entries.insert(entries.end(), heap_.begin(), heap_.end());
  }

  void push(const ReadyEntry& entry) {
    if (front_size_ == kFront) spill();
    if (!heap_.empty() && heap_.front().before(entry)) return push_heap(entry);
    std::uint32_t hole = front_size_++;
    for (; hole > 0 && front_[hole - 1].before(entry); --hole) front_[hole] = front_[hole - 1];
    front_[hole] = entry;
  }

  // The node of highest priority, of several the one that was ready first.
  std::uint32_t pop() { return front_size_ > 0 ? front_[--front_size_].node : pop_heap(); }

 private:
  static constexpr std::uint32_t kFront = 16;

  // The later half of the front goes back.
  void spill() {
    constexpr std::uint32_t kSpilled = kFront / 2;
    std::for_each(front_.begin(), front_.begin() + kSpilled, [&](const ReadyEntry& entry) { push_heap(entry); });
    std::copy(front_.begin() + kSpilled, front_.end(), front_.begin());
    front_size_ -= kSpilled;
  }

  void push_heap(const ReadyEntry& entry) {
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!entry.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = entry;
  }

  std::uint32_t pop_heap() {
    const std::uint32_t first = heap_.front().node;
    const ReadyEntry last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    std::size_t child = 1;
    for (; child + 1 < size; child = 2 * hole + 1) {
      child += heap_[child + 1].before(heap_[child]) ? 1 : 0;
      if (!heap_[child].before(last)) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    if (child + 1 == size && heap_[child].before(last)) {
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = last;
    return first;
  }

  std::uint32_t front_size_ = 0;
  std::array<ReadyEntry, kFront> front_;  // sorted, the first to go at the end; all go before those in the heap
  std::vector<ReadyEntry> heap_;
};

}  // namespace berth
