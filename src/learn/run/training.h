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

#include "learn/distributed/communicator.h"
#include "learn/run/run_recorder.h"
#include "learn/train/monitor.h"
#include "learn/train/trainer.h"
#include "services/caller.h"

namespace berth::learn {

// How far a run is at the end of a stretch of training, and what it has found.
struct Stretch {
  TrainState state;
  double elapsed_s = 0.0;             // of all its stretches
  std::vector<std::string> warnings;  // of this stretch
};

class Training {
 public:
  // All must outlive it, the subjects' problems too.
  Training(const RunConfig& config, std::span<const Subject> subjects, Communicator& ranks, Caller& caller)
      : config_(config), subjects_(subjects), ranks_(ranks), caller_(caller) {}
  // Before prepare(). How plans are simulated is no part of a run: scores are the same.
  void set_simulate_on(SimulateOn on) { simulate_on_ = on; }
  // For rank 0 alone.
  void set_recorder(RunRecorder recorder) { recorder_.emplace(std::move(recorder)); }
  void set_monitor(Monitor monitor) { monitor_.emplace(std::move(monitor)); }

  // An untrained policy of the config.
  Status prepare();
  [[nodiscard]] TrainState state() const { return learner_->state(); }
  void restore(TrainState state, double elapsed_s);

  // Trains until a limit of the config or until the caller stops it. Rank 0 saves what it has found also on errors.
  Result<Stretch> run();
  // Whether the time of the config is over, and how many plans an update takes, of all ranks.
  [[nodiscard]] bool is_time_over() const;
  [[nodiscard]] std::uint64_t plans_per_update() const;
  // Whether all ranks agreed to stop; if not, the others may be waiting for this one.
  [[nodiscard]] bool stopped_together() const { return !is_running_ || stopped_together_; }

 private:
  using Clock = std::chrono::steady_clock;
  using GetState = std::function<TrainState()>;
  Status run_together();    // all ranks make every update together; one alone is a special case
  Status run_server();      // --async, rank 0
  Status run_controller();  // --async, the others
  Status record(UpdateFacts facts, const GetState& state);  // rank 0
  void show(const UpdateFacts& facts);
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] bool is_over(std::uint64_t updates, std::uint64_t evaluations) const;
  [[nodiscard]] bool knows_a_plan() const;

  const RunConfig& config_;
  std::span<const Subject> subjects_;
  Communicator& ranks_;
  Caller& caller_;
  std::optional<RunRecorder> recorder_;
  std::unique_ptr<Learner> learner_;
  Trainer* trainer_ = nullptr;  // the same, where it can serve a parameter server
  std::optional<Monitor> monitor_;
  SimulateOn simulate_on_ = SimulateOn::kCpu;
  Clock::time_point start_ = Clock::now(), shown_{};
  double before_s_ = 0.0;                                  // elapsed in earlier stretches
  std::uint64_t first_update_ = 0, first_evaluation_ = 0;  // of this stretch
  std::optional<TrainState> served_;                       // of the parameter server
  std::vector<std::string> warnings_;
  bool is_running_ = false, stopped_together_ = false;
};

}  // namespace berth::learn
