// SPDX-License-Identifier: Apache-2.0
// RunRecorder: what a run leaves in its folder while it trains. Rank 0 alone has one.
#pragma once

#include <chrono>
#include <optional>

#include "app/learn/run_folder.h"
#include "cost/problem.h"
#include "learn/metrics.h"
#include "learn/trainer.h"

namespace berth::app {

class RunRecorder {
 public:
  // Metrics behind the first `updates` updates are dropped. All must outlive it.
  static Result<RunRecorder> open(const RunFolder& folder, const RunConfig& config, const Problem& problem,
                                  Picoseconds bound, std::uint64_t updates);
  void set_checkpoint_every(double seconds) { every_s_ = seconds; }

  Status add(const learn::UpdateFacts& facts, double elapsed_s);
  // Whether it is time for the next checkpoint.
  [[nodiscard]] bool is_due() const;
  // The best plan, if it is a new one, then the checkpoint; on an error the old files stay.
  Status save(learn::TrainState state, double elapsed_s);

 private:
  using Clock = std::chrono::steady_clock;
  RunRecorder(const RunFolder& folder, const RunConfig& config, const Problem& problem, Picoseconds bound,
              learn::MetricsFile metrics)
      : folder_(&folder), config_(&config), problem_(&problem), bound_(bound), metrics_(std::move(metrics)) {}
  Status save_best(const learn::TrainState& state);

  const RunFolder* folder_;
  const RunConfig* config_;
  const Problem* problem_;
  Picoseconds bound_;
  learn::MetricsFile metrics_;
  std::optional<learn::TensorBoardFile> events_;
  double every_s_ = 60.0;
  Clock::time_point last_ = Clock::now();
  std::optional<Score> saved_;  // of the plan in the folder
};

}  // namespace berth::app
