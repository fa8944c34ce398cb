// SPDX-License-Identifier: Apache-2.0
// TaskTable: a problem as a scheduler sees it, in flat arrays: how long each op takes on each device, what it waits
// for, and how long each tensor is under way between two devices when nothing else is. For problems of up to a few
// thousand ops, which are scheduled many thousand times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace berth {

class TaskTable {
 public:
  struct Arc {
    std::uint32_t op;     // at the other end
    std::uint32_t delay;  // row of the table of delays
  };

  explicit TaskTable(const Problem& problem);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] std::size_t num_ops() const { return unit_.size(); }
  [[nodiscard]] std::size_t num_devices() const { return devices_; }
  [[nodiscard]] std::uint32_t unit(std::uint32_t op) const { return unit_[op]; }
  [[nodiscard]] Picoseconds duration(std::uint32_t op, std::size_t device) const {
    return durations_[op * devices_ + device];
  }
  // An op that takes time somewhere needs a lane; the others happen the moment they can.
  [[nodiscard]] bool takes_time(std::uint32_t op) const { return takes_time_[op] != 0; }
  [[nodiscard]] std::span<const Arc> before(std::uint32_t op) const { return row(before_, before_begin_, op); }
  [[nodiscard]] std::span<const Arc> after(std::uint32_t op) const { return row(after_, after_begin_, op); }
  [[nodiscard]] Picoseconds delay(std::uint32_t row, std::size_t from, std::size_t to) const {
    return delays_[row * devices_ * devices_ + from * devices_ + to];
  }
  [[nodiscard]] Bytes resident_of_unit(std::uint32_t unit) const { return resident_[unit]; }
  // Whether it matters at all which device an op is on, or all are equal and talk for nothing.
  [[nodiscard]] bool devices_differ() const { return devices_differ_; }

 private:
  static std::span<const Arc> row(const std::vector<Arc>& arcs, const std::vector<std::uint32_t>& begin,
                                  std::uint32_t op) {
    return {arcs.data() + begin[op], arcs.data() + begin[op + 1]};
  }
  void read_ops();
  void read_arcs();
  void fill_after();
  std::uint32_t add_delays(Bytes bytes);
  std::uint32_t add_control_delays();

  const Problem& problem_;
  std::size_t devices_;
  bool devices_differ_ = false;
  std::vector<std::uint32_t> unit_, before_begin_, after_begin_;
  std::vector<std::uint8_t> takes_time_;
  std::vector<Picoseconds> durations_, delays_;
  std::vector<Arc> before_, after_;
  std::vector<Bytes> resident_;
};

}  // namespace berth
