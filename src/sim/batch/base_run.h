// SPDX-License-Identifier: Apache-2.0
// One run of a base on the processor, remembered at a number of moments, for runs of plans that differ from it in a few
// devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/batch/host_memory.h"
#include "sim/batch/loop/snapshots.h"
#include "sim/batch/ranking.h"

namespace berth::batch {

class BaseRun {
 public:
  // With the room of those who shall go on from it.
  BaseRun(const CompactProblem& problem, const Capacities& capacities);
  void set_capacities(const Capacities& capacities) { memory_.set_capacities(capacities); }

  // Of a legal base. False if the run outgrew its room: then there is none.
  bool record(std::span<const std::uint8_t> device_of, const Ranking& ranking);
  // Whether that is what was recorded last.
  [[nodiscard]] bool is_of(std::span<const std::uint8_t> device_of, const Ranking& ranking) const;
  // Of what was recorded: no two of this process have the same.
  [[nodiscard]] std::uint64_t id() const { return id_; }

  [[nodiscard]] const Snapshots& snapshots() const { return snapshots_; }  // of the tables here
  [[nodiscard]] const BaseTimes& times() const { return base_; }
  // Of all ops, how many have ended by a moment.
  [[nodiscard]] double share_of(std::uint32_t moment) const {
    return static_cast<double>(moments_[moment].ended) / memory_.view.num_ops;
  }

  // visit(pointer of Snapshots or BaseTimes, table) for each, to fill them with wherever the tables are.
  template <typename Visit>
  void visit(Snapshots& snapshots, BaseTimes& base, Visit visit) const {
    visit(snapshots.moments, moments_);
    visit(snapshots.nodes, nodes_);
    visit(snapshots.counters, counters_);
    visit(snapshots.ranks, ranks_);
    visit(snapshots.since, since_);
    visit(snapshots.times, times_);
    visit(snapshots.items, items_);
    visit(snapshots.num_waiting, num_waiting_);
    visit(snapshots.waiting, waiting_);
    visit(snapshots.delay_ends, delay_ends_);
    visit(snapshots.delayed, delayed_);
    visit(base.ready, ready_);
    visit(base.end, end_);
    visit(base.device, device_);
    visit(base.first_before, first_before_);
    visit(base.before, before_);
  }

 private:
  void find_control_predecessors();
  template <Order kOrder>
  bool run_loop(const Ranking& ranking);
  template <typename Loop>
  void remember(Loop& loop, Order order);
  void remember_memory();
  void remember_rings(Order order);

  HostMemory memory_;
  std::size_t most_moments_;
  std::uint32_t ended_ = 0;              // ops of the run so far
  std::vector<std::int64_t> residents_;  // held per device, then pool, from before the first instant
  std::vector<std::uint8_t> of_;         // what was recorded ...
  std::uint64_t of_ranking_ = 0, id_ = 0;

  std::vector<Moment> moments_;
  std::vector<std::uint32_t> nodes_, since_, items_, num_waiting_, waiting_, delayed_, ready_, end_, first_before_,
      before_;
  std::vector<std::uint16_t> counters_;
  std::vector<std::uint64_t> ranks_, times_;
  std::vector<Time> delay_ends_;
  std::vector<std::uint8_t> device_;
  Snapshots snapshots_;
  BaseTimes base_;
};

}  // namespace berth::batch
