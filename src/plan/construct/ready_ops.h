// SPDX-License-Identifier: Apache-2.0
// ReadyOps: ready ops of one device, by the time at which they could start there, and the device's lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace berth {

class ReadyOps {
 public:
  struct Entry {
    Picoseconds data_ready;  // at the last look
    Picoseconds delay;       // added to its start when ops are compared
    std::uint32_t order;     // decides ties
    OpId op;
    bool timeless;  // needs no lane
  };
  struct Parked {
    Bytes need;
    OpId op;
    bool operator>(const Parked& other) const { return need > other.need; }
  };

  explicit ReadyOps(std::size_t lanes) : lane_free_(lanes, 0) {}

  // When the first lane is free.
  [[nodiscard]] Picoseconds free() const { return lane_free_.front(); }
  // Takes a lane from when it is free and the data are there; returns the start.
  Picoseconds run(Picoseconds data_ready, Picoseconds duration);

  void add(OpId op, Picoseconds data_ready, Picoseconds delay, std::uint32_t order, bool timeless);
  // The op with the least estimate, after dropping those that are gone; nullptr: none.
  template <typename IsGone>
  const Entry* first(const IsGone& is_gone);
  // Start and delay, as far as known.
  [[nodiscard]] Picoseconds time_of(const Entry& entry) const;

  // With its data there at that time, is what first() gave still to be taken? If not, it has been put back in place.
  bool still_first(Picoseconds data_ready);
  // What first() gave waits for that much memory.
  void park_first(Bytes need);
  // Ops that fit in now; the caller adds them again.
  std::vector<OpId> unpark(Bytes room);
  [[nodiscard]] std::span<const Parked> parked() const { return parked_; }

 private:
  struct LaterData {
    bool operator()(const Entry& a, const Entry& b) const {
      const Picoseconds x = a.data_ready + a.delay, y = b.data_ready + b.delay;
      return x != y ? x > y : a.order > b.order;
    }
  };
  struct LaterOrder {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.delay != b.delay ? a.delay > b.delay : a.order > b.order;
    }
  };

  void move_what_waits_for_a_lane_only();
  Entry take_first();

  std::vector<Entry> waiting_, startable_;  // heaps: for data, for a lane
  std::vector<Parked> parked_;              // heap, least need first
  std::vector<Picoseconds> lane_free_;      // heap, earliest first
  bool first_is_startable_ = false;
};

template <typename IsGone>
const ReadyOps::Entry* ReadyOps::first(const IsGone& is_gone) {
  for (;;) {
    move_what_waits_for_a_lane_only();
    if (waiting_.empty() && startable_.empty()) return nullptr;
    first_is_startable_ = !startable_.empty();
    if (!startable_.empty() && !waiting_.empty()) {
      const Entry &lane = startable_.front(), &data = waiting_.front();
      const Picoseconds at_lane = time_of(lane), at_data = time_of(data);
      first_is_startable_ = at_lane != at_data ? at_lane < at_data : lane.order < data.order;
    }
    const Entry& entry = first_is_startable_ ? startable_.front() : waiting_.front();
    if (!is_gone(entry.op)) return &entry;
    take_first();
  }
}

}  // namespace berth
