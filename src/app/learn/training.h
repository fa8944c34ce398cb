// SPDX-License-Identifier: Apache-2.0
// Training: a run in the hands of one process, alone or as one of several ranks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/learn/run_recorder.h"
#include "app/output/progress.h"
#include "learn/distributed/communicator.h"
#include "learn/train/monitor.h"
#include "learn/train/trainer.h"

namespace berth::app {

// How far a run is, and what it has found.
struct Trained {
  learn::TrainState state;
  double elapsed_s = 0.0;             // of all its stretches
  std::vector<std::string> warnings;  // of this stretch
};

class Training {
 public:
  // All must outlive it, the subjects' problems too.
  Training(const RunConfig& config, std::span<const Subject> subjects, learn::Communicator& ranks)
      : config_(config), subjects_(subjects), ranks_(ranks) {}
  // For rank 0 alone.
  void set_recorder(RunRecorder recorder) { recorder_.emplace(std::move(recorder)); }
  void set_monitor(learn::Monitor monitor) { monitor_.emplace(std::move(monitor)); }
  void set_progress(bool shown) { progress_.emplace(shown); }

  // An untrained policy of the config.
  Status prepare();
  [[nodiscard]] learn::TrainState state() const { return learner_->state(); }
  void restore(learn::TrainState state, double elapsed_s);

  // Trains until a limit of the config or Ctrl-C. Rank 0 saves what it has found also on errors.
  Result<Trained> run();
  // Whether the time of the config is over, and how many plans an update takes, of all ranks.
  [[nodiscard]] bool is_time_over() const;
  [[nodiscard]] std::uint64_t plans_per_update() const;
  // Whether all ranks agreed to stop; if not, the others may be waiting for this one.
  [[nodiscard]] bool stopped_together() const { return !is_running_ || stopped_together_; }

 private:
  using Clock = std::chrono::steady_clock;
  using GetState = std::function<learn::TrainState()>;
  Status run_together();    // all ranks make every update together; one alone is a special case
  Status run_server();      // --async, rank 0
  Status run_controller();  // --async, the others
  Status record(learn::UpdateFacts facts, const GetState& state);  // rank 0
  void show(const learn::UpdateFacts& facts);
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] bool is_over(std::uint64_t updates, std::uint64_t evaluations) const;
  [[nodiscard]] bool knows_a_plan() const;

  const RunConfig& config_;
  std::span<const Subject> subjects_;
  learn::Communicator& ranks_;
  std::optional<RunRecorder> recorder_;
  std::unique_ptr<learn::Learner> learner_;
  learn::Trainer* trainer_ = nullptr;  // the same, where it can serve a parameter server
  std::optional<learn::Monitor> monitor_;
  std::optional<ProgressLine> progress_;
  Clock::time_point start_ = Clock::now(), shown_{};
  double before_s_ = 0.0;                                  // elapsed in earlier stretches
  std::uint64_t first_update_ = 0, first_evaluation_ = 0;  // of this stretch
  std::optional<learn::TrainState> served_;                // of the parameter server
  std::vector<std::string> warnings_;
  bool is_running_ = false, stopped_together_ = false;
};

}  // namespace berth::app
