// SPDX-License-Identifier: Apache-2.0
// Asynchronous training, as in the papers: rank 0 keeps the policy (a parameter server), every other rank is a
// controller that samples and measures at its own pace. A controller asks for the values, sends the gradients of one
// batch, and gets fresh values; the server steps as gradients arrive, though they were taken at values a few steps old.
// Each controller has a baseline and a random stream of its own. Nobody waits for the slowest, and no two runs are
// alike (but those of one controller). For one lesson.
//
//   rank 0:   ParameterServer server(state, options, seed, ranks);  server.serve(on_update);
//   others:   control(trainer, ranks);  (controller.h)
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "learn/distributed/communicator.h"
#include "learn/nn/adam.h"
#include "runs/options/training.h"

namespace berth::learn {

struct Report;

class ParameterServer {
 public:
  // After every update; may ask for state() to write a checkpoint. False ends the run.
  using OnUpdate = std::function<Result<bool>(const UpdateFacts&)>;

  // `state`: where to begin, as Trainer::state() gives it for an untrained policy or a checkpoint for a resumed run.
  // Streams of controllers follow from seed, rank and the number of updates.
  ParameterServer(TrainState state, const TrainingOptions& options, std::uint64_t seed, Communicator& communicator);

  // Asked while waiting: true ends the run once every controller has reported.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

  // Serves until `on_update` or a controller ends the run and all of them know; an error names a controller of which
  // nothing was heard for the communicator's deadline.
  Status serve(const OnUpdate& on_update);

  [[nodiscard]] TrainState state() const;
  [[nodiscard]] std::uint64_t updates() const { return state_.updates; }
  [[nodiscard]] const LessonState& lesson() const { return state_.lessons.front(); }

 private:
  using Clock = std::chrono::steady_clock;
  Status collect();  // what has arrived, into inbox_
  Status handle(const Message& message, const OnUpdate& on_update);
  Status apply(int rank, Report& report, const OnUpdate& on_update);
  Status answer(int rank, bool is_first);
  [[nodiscard]] std::vector<int> silent_ranks() const;

  TrainState state_;  // but for Adam's, which adam_ keeps
  Adam adam_;
  TrainingOptions options_;
  std::uint64_t seed_;
  Communicator& communicator_;
  std::function<bool()> should_stop_;
  std::vector<Message> inbox_;
  std::vector<bool> is_active_;   // by rank: a controller that has not been told to stop
  std::vector<double> answered_;  // by rank: since when it is at work, in seconds of awake_s_
  double awake_s_ = 0.0;          // how long the server has been looking for letters
  Clock::time_point looked_ = Clock::now();
  bool is_stopping_ = false;
};

}  // namespace berth::learn
