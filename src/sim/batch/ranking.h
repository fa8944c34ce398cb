// SPDX-License-Identifier: Apache-2.0
// Priorities as ranks: the place of every op by priority, then id. Ranks say all that a run asks of priorities, as
// small numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/batch/loop/run_kind.h"

namespace berth::batch {

class Ranking {
 public:
  // One priority per op, or none at all.
  void set(const CompactView& problem, std::span<const double> priorities);

  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] std::uint64_t num_changes() const { return num_changes_; }  // who has seen as many has seen this one
  [[nodiscard]] Ranks ranks() const { return {of_node_.data(), node_at_.data(), tie_end_.data()}; }
  [[nodiscard]] std::span<const std::uint32_t> of_node() const { return of_node_; }
  [[nodiscard]] std::span<const std::uint32_t> node_at() const { return node_at_; }
  [[nodiscard]] std::span<const std::uint32_t> tie_end() const { return tie_end_; }

 private:
  Order order_ = Order::kReadyTime;
  std::uint64_t num_changes_ = 0;
  std::vector<double> given_;  // what the tables are of
  std::vector<std::uint64_t> urgency_;
  std::vector<std::uint32_t> ops_;  // by rank
  std::vector<std::uint32_t> of_node_, node_at_, tie_end_;
};

}  // namespace berth::batch
