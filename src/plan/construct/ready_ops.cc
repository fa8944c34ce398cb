// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/ready_ops.h"

#include <algorithm>

namespace berth {

Picoseconds ReadyOps::run(Picoseconds data_ready, Picoseconds duration) {
  if (duration == 0) return data_ready;
  std::ranges::pop_heap(lane_free_, std::greater<>());
  const Picoseconds start = std::max(data_ready, lane_free_.back());
  lane_free_.back() = start + duration;
  std::ranges::push_heap(lane_free_, std::greater<>());
  return start;
}

void ReadyOps::add(OpId op, Picoseconds data_ready, Picoseconds delay, std::uint32_t order, bool timeless) {
  waiting_.push_back({data_ready, delay, order, op, timeless});
  std::ranges::push_heap(waiting_, LaterData());
}

Picoseconds ReadyOps::time_of(const Entry& entry) const {
  return (entry.timeless ? entry.data_ready : std::max(entry.data_ready, free())) + entry.delay;
}

// Entries further down may also have their data; they can only come later than the first.
void ReadyOps::move_what_waits_for_a_lane_only() {
  while (!waiting_.empty() && !waiting_.front().timeless && waiting_.front().data_ready <= free()) {
    startable_.push_back(waiting_.front());
    std::ranges::push_heap(startable_, LaterOrder());
    std::ranges::pop_heap(waiting_, LaterData());
    waiting_.pop_back();
  }
}

ReadyOps::Entry ReadyOps::take_first() {
  std::vector<Entry>& heap = first_is_startable_ ? startable_ : waiting_;
  if (first_is_startable_) {
    std::ranges::pop_heap(heap, LaterOrder());
  } else {
    std::ranges::pop_heap(heap, LaterData());
  }
  const Entry entry = heap.back();
  heap.pop_back();
  return entry;
}

bool ReadyOps::still_first(Picoseconds data_ready) {
  const Picoseconds known = first_is_startable_ ? free() : waiting_.front().data_ready;
  if (data_ready <= known) return true;
  Entry entry = take_first();
  add(entry.op, data_ready, entry.delay, entry.order, entry.timeless);
  return false;
}

void ReadyOps::park_first(Bytes need) {
  parked_.push_back({need, take_first().op});
  std::ranges::push_heap(parked_, std::greater<>());
}

std::vector<OpId> ReadyOps::unpark(Bytes room) {
  std::vector<OpId> ops;
  while (!parked_.empty() && parked_.front().need <= room) {
    ops.push_back(parked_.front().op);
    std::ranges::pop_heap(parked_, std::greater<>());
    parked_.pop_back();
  }
  return ops;
}

}  // namespace berth
