// SPDX-License-Identifier: Apache-2.0
// A priority queue. The first few entries to go stand sorted in front, the others in a binary heap: where an entry that
// comes mostly goes before those that wait already, or where there are few at all, hardly one ever sees the heap.
// Comparisons compile to arithmetic, since which of two entries goes first is a coin toss that no branch predictor
// wins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth {

// Entry::before(other): whether it goes first.
template <typename Entry>
class FrontedHeap {
 public:
  void clear() {
    heap_.clear();
    front_size_ = 0;
  }
  [[nodiscard]] bool empty() const { return front_size_ == 0 && heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return front_size_ + heap_.size(); }
  [[nodiscard]] const Entry& first() const { return front_size_ > 0 ? front_[front_size_ - 1] : heap_.front(); }
  // In no order.
  void append_to(std::vector<Entry>& entries) const {
    entries.insert(entries.end(), front_.begin(), front_.begin() + front_size_);
    entries.insert(entries.end(), heap_.begin(), heap_.end());
  }
  // In no order; it must not change who goes before whom.
  template <typename Change>
  void change_each(Change change) {
    std::for_each(front_.begin(), front_.begin() + front_size_, change);
    std::for_each(heap_.begin(), heap_.end(), change);
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    std::for_each(front_.begin(), front_.begin() + front_size_, visit);
    std::for_each(heap_.begin(), heap_.end(), visit);
  }
  template <typename Predicate>
  [[nodiscard]] bool all_of(Predicate holds) const {
    return std::all_of(front_.begin(), front_.begin() + front_size_, holds) &&
           std::all_of(heap_.begin(), heap_.end(), holds);
  }

  void push(const Entry& entry) {
    if (front_size_ == kFront) spill();
    if (!heap_.empty() && heap_.front().before(entry)) return push_heap(entry);
    std::uint32_t hole = front_size_++;
    for (; hole > 0 && front_[hole - 1].before(entry); --hole) front_[hole] = front_[hole - 1];
    front_[hole] = entry;
  }

  Entry pop() { return front_size_ > 0 ? front_[--front_size_] : pop_heap(); }

 private:
  static constexpr std::uint32_t kFront = 16;

  // The later half of the front goes back.
  void spill() {
    constexpr std::uint32_t kSpilled = kFront / 2;
    std::for_each(front_.begin(), front_.begin() + kSpilled, [&](const Entry& entry) { push_heap(entry); });
    std::copy(front_.begin() + kSpilled, front_.end(), front_.begin());
    front_size_ -= kSpilled;
  }

  void push_heap(const Entry& entry) {
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

  Entry pop_heap() {
    const Entry first = heap_.front();
    const Entry last = heap_.back();
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
  std::array<Entry, kFront> front_;  // sorted, the first to go at the end; all go before those in the heap
  std::vector<Entry> heap_;
};

}  // namespace berth
