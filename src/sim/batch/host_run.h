// SPDX-License-Identifier: Apache-2.0
// Runs of the batch simulator's loop on a processor, one after the other in one workspace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/batch/base_run.h"
#include "sim/batch/compact.h"
#include "sim/batch/host_memory.h"
#include "sim/batch/ranking.h"

namespace berth::batch {

class HostRun {
 public:
  explicit HostRun(const CompactProblem& problem) : HostRun(problem, host_capacities(problem)) {}
  HostRun(const CompactProblem& problem, const Capacities& capacities);

  // False if the run outgrew its memory: then nothing is known of the plan.
  bool run(std::span<const std::uint8_t> device_of, std::span<const double> priorities);
  // The same from the last moment at which it can of a base with these priorities; the plan must be legal.
  bool run_from(const BaseRun& base, std::span<const std::uint8_t> device_of, std::span<const double> priorities);
  // The same from a moment before which nobody notices that anything has moved.
  bool run_from(const BaseRun& base, std::uint32_t moment, std::span<const std::uint8_t> device_of,
                std::span<const double> priorities);
  // Where that began.
  [[nodiscard]] std::uint32_t moment() const { return moment_; }

  // Of the last run that came to its end.
  [[nodiscard]] Time step_time() const { return step_time_; }
  [[nodiscard]] std::int64_t peak(std::uint32_t device) const { return peaks_[device]; }
  [[nodiscard]] std::int64_t pool_peak(std::uint32_t pool) const { return peaks_[memory_.view.num_devices + pool]; }

 private:
  bool run_placed(const Snapshots* from);
  template <Order kOrder, bool kLanes>
  bool run_loop(const Snapshots* from);
  void restore(const Snapshots& from);

  HostMemory memory_;
  const bool has_lanes_;
  Ranking ranking_;
  std::uint32_t moment_ = 0;
  Time step_time_ = 0;
  std::vector<std::int64_t> peaks_;
};

}  // namespace berth::batch
