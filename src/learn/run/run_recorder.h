// SPDX-License-Identifier: Apache-2.0
// RunRecorder: what a run leaves in its folder while it trains. Rank 0 alone has one.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "learn/train/learner.h"
#include "problem/problem.h"
#include "runs/metrics.h"
#include "runs/run_folder.h"
#include "runs/tensorboard.h"

namespace berth::learn {

// A problem that a run learns from.
struct Subject {
  const Problem* problem = nullptr;
  Picoseconds bound = 0;  // of its step time
};

class RunRecorder {
 public:
  // Metrics behind the first `kept_metrics` bytes are dropped. All must outlive it.
  static Result<RunRecorder> open(const RunFolder& folder, const RunConfig& config, std::span<const Subject> subjects,
                                  std::size_t kept_metrics);
  void set_checkpoint_every(double seconds) { every_s_ = seconds; }

  Status add(const UpdateFacts& facts, double elapsed_s);
  // Whether it is time for the next checkpoint: after the first update, then whenever the run is twice as long, at the
  // latest as many seconds apart as were set.
  [[nodiscard]] bool is_due() const;
  // The best plans that are new, then the checkpoint; on an error the old files stay.
  Status save(TrainState state, double elapsed_s);

 private:
  using Clock = std::chrono::steady_clock;
  RunRecorder(const RunFolder& folder, const RunConfig& config, std::span<const Subject> subjects, MetricsFile metrics)
      : folder_(&folder),
        config_(&config),
        subjects_(subjects),
        metrics_(std::move(metrics)),
        saved_(subjects.size()) {}
  Status save_best(std::size_t lesson, const LessonState& state);

  const RunFolder* folder_;
  const RunConfig* config_;
  std::span<const Subject> subjects_;
  MetricsFile metrics_;
  std::optional<TensorBoardFile> events_;
  double every_s_ = 60.0;
  Clock::time_point begun_ = Clock::now(), last_ = begun_;
  std::vector<std::optional<Score>> saved_;  // of the plans in the folder
};

}  // namespace berth::learn
