// SPDX-License-Identifier: Apache-2.0
// Runs of the batch simulator's loop on a processor, one after the other in one workspace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/batch/compact.h"
#include "sim/batch/event_loop.h"
#include "sim/batch/ranking.h"

namespace berth::batch {

class HostRun {
 public:
  explicit HostRun(const CompactProblem& problem);

  // False if the run outgrew its memory: then nothing is known of the plan.
  bool run(std::span<const std::uint8_t> device_of, std::span<const double> priorities);
  // Of the last run that came to its end.
  [[nodiscard]] Time step_time() const { return step_time_; }
  [[nodiscard]] std::int64_t peak(std::uint32_t device) const { return peaks_[device]; }
  [[nodiscard]] std::int64_t pool_peak(std::uint32_t pool) const { return peaks_[view_.num_devices + pool]; }

 private:
  template <Order kOrder>
  bool run_in_order();
  template <Order kOrder, bool kLanes>
  bool run_loop();

  const CompactView view_;
  const bool has_lanes_;
  Capacities capacities_;
  Ranking ranking_;
  std::vector<std::uint32_t> nodes_, ready_, queued_, timeless_, delayed_, since_, items_, rings_;
  std::vector<std::uint16_t> counters_;
  std::vector<Time> delay_ends_, times_;
  std::vector<std::uint64_t> ranks_;
  bool ranks_are_clear_ = false;
  Time step_time_ = 0;
  std::vector<std::int64_t> peaks_;
};

}  // namespace berth::batch
