// SPDX-License-Identifier: Apache-2.0
// The ready nodes of a device when priorities differ: a binary heap whose comparisons compile to arithmetic, since which
// of two nodes goes first is a coin toss that no branch predictor wins.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace berth {

// Orders like the priority, as a number: higher priority, greater number. Both zeros are one.
inline std::uint64_t urgency_of(double priority) {
  const auto bits = std::bit_cast<std::uint64_t>(priority + 0.0);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct ReadyEntry {
  std::uint64_t urgency;
  std::uint32_t order;  // by ready time, then id; lower first
  std::uint32_t node;

  [[nodiscard]] bool before(const ReadyEntry& other) const {
    return static_cast<bool>(static_cast<unsigned>(urgency > other.urgency) |
                             (static_cast<unsigned>(urgency == other.urgency) &
                              static_cast<unsigned>(order < other.order)));
  }
};

class ReadyQueue {
 public:
  void clear() { heap_.clear(); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::span<const ReadyEntry> entries() const { return heap_; }  // in no order but for the first

  void push(const ReadyEntry& entry) {
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

  // The node of highest priority, of several the one that was ready first.
  std::uint32_t pop() {
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

 private:
  std::vector<ReadyEntry> heap_;
};

}  // namespace berth
