// SPDX-License-Identifier: Apache-2.0
// What comes later in a run without a server: control signals, and transfers on links that nobody shares. A binary heap
// by time.
#pragma once

#include "sim/batch/loop/run_kind.h"
#include "sim/batch/loop/snapshots.h"

namespace berth::batch {

template <typename Kind>
class Delays {
 public:
  explicit BERTH_PORTABLE Delays(const typename Kind::Memory& memory) : memory_(memory) {}

  [[nodiscard]] BERTH_PORTABLE Time next() const { return next_; }  // kNever: nothing comes
  [[nodiscard]] BERTH_PORTABLE std::uint32_t size() const { return size_; }

  BERTH_PORTABLE void resume(const SavedState& from) {
    size_ = from.moment.num_delayed;
    for (std::uint32_t i = 0; i < size_; ++i) {
      end(i) = from.delay_ends[i];
      item(i) = from.delayed[i];
    }
    if (size_ > 0) next_ = end(0);
  }

  // False if there is no room.
  BERTH_PORTABLE bool push(Time time, std::uint32_t code) {
    if (size_ == memory_.capacities.delayed) return false;
    std::uint32_t hole = size_++;
    while (hole > 0 && end((hole - 1) / 2) > time) {
      move((hole - 1) / 2, hole);
      hole = (hole - 1) / 2;
    }
    end(hole) = time;
    item(hole) = code;
    if (time < next_) next_ = time;
    return true;
  }

  BERTH_PORTABLE std::uint32_t pop() {
    const std::uint32_t code = item(0);
    const std::uint32_t last = --size_;
    const Time time = end(last);
    std::uint32_t hole = 0;
    for (std::uint32_t child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && end(child + 1) < end(child)) ++child;
      if (time <= end(child)) break;
      move(child, hole);
      hole = child;
    }
    move(last, hole);
    next_ = size_ == 0 ? kNever : end(0);
    return code;
  }

 private:
  BERTH_PORTABLE Time& end(std::uint32_t place) { return Kind::Memory::at(memory_.delay_ends, place); }
  BERTH_PORTABLE std::uint32_t& item(std::uint32_t place) { return Kind::Memory::at(memory_.delayed, place); }
  BERTH_PORTABLE void move(std::uint32_t from, std::uint32_t to) {
    end(to) = end(from);
    item(to) = item(from);
  }

  typename Kind::Memory memory_;
  Time next_ = kNever;
  std::uint32_t size_ = 0;
};

}  // namespace berth::batch
