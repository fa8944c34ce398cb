// SPDX-License-Identifier: Apache-2.0
// Level: a grouping with what a local search asks about it: members, neighbours, and the order of the groups in time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/coarsen/grouping.h"

namespace berth {

class Level {
 public:
  Level(const Problem& problem, Grouping grouping);

  [[nodiscard]] std::size_t size() const { return grouping_.size(); }
  [[nodiscard]] DeviceSet allowed(std::uint32_t group) const { return grouping_.allowed[group]; }
  [[nodiscard]] std::span<const OpId> ops(std::uint32_t group) const { return row(ops_, op_begin_, group); }
  // Groups that a tensor connects with it, without itself; sorted.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t group) const {
    return row(neighbours_, neighbour_begin_, group);
  }
  // Groups that have a choice of devices, by the mean topological position of their compute ops; those without any
  // come first.
  [[nodiscard]] std::span<const std::uint32_t> movable() const { return movable_; }
  [[nodiscard]] std::uint32_t group(OpId op) const { return group_of_op_[index(op)]; }
  [[nodiscard]] Picoseconds work(std::uint32_t group) const { return work_[group]; }
  // What the group holds if everything it makes stays alive.
  [[nodiscard]] Bytes bytes(std::uint32_t group) const { return bytes_[group]; }

 private:
  template <typename T>
  static std::span<const T> row(const std::vector<T>& data, const std::vector<std::uint32_t>& begin, std::uint32_t i) {
    return {data.data() + begin[i], data.data() + begin[i + 1]};
  }
  void list_ops();
  void find_neighbours(const Problem& problem);
  void order_movable(const Problem& problem);

  Grouping grouping_;
  std::vector<std::uint32_t> group_of_op_, op_begin_, neighbour_begin_, neighbours_, movable_;
  std::vector<OpId> ops_;
  std::vector<Picoseconds> work_;  // every op on its fastest allowed device
  std::vector<Bytes> bytes_;
};

}  // namespace berth
