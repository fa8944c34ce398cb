// SPDX-License-Identifier: Apache-2.0
// Trainer: policy gradient (REINFORCE, Williams 1992) with a baseline. One update samples m x k plans,
// measures them while the policy computes what needs no reward, and moves the parameters once.
//
// An update that is stopped in its midst leaves no trace but the best plan: the state is that before it, so that a run
// that was killed and resumed gives the numbers of one that was not.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "learn/adam.h"
#include "learn/communicator.h"
#include "learn/environment.h"
#include "learn/options.h"
#include "learn/policy.h"

namespace berth::learn {

// What one update was like. Over all ranks where they train together.
struct UpdateFacts {
  std::uint64_t update = 0;       // 1 is the first
  std::uint64_t evaluations = 0;  // so far, this update included, of all ranks
  double mean_reward = 0.0, reward_deviation = 0.0, baseline = 0.0;
  double mean_time_s = 0.0;    // of the plans of this update that fit; 0 if none does
  int plans = 0, fitting = 0;  // of this update
  double gradient_norm = 0.0, rate = 0.0, noise = 0.0;
  Entropies entropies;
  double used_groups = 0.0;
  std::optional<double> best_s;  // of the best plan so far that fits
  // Where the time of this update went, on this rank: sampling, what needs no reward, waiting for measurements, the
  // gradients, exchange and step.
  double sample_s = 0.0, prepare_s = 0.0, wait_s = 0.0, gradient_s = 0.0, step_s = 0.0;
};

// Everything that changes from update to update, policy values included: what a checkpoint keeps.
struct TrainState {
  std::uint64_t updates = 0, evaluations = 0;
  std::vector<float> values;
  AdamState adam;
  std::optional<double> baseline, deviation;  // moving averages of rewards
  Rng rng{0};
  std::optional<Plan> best_plan;
  Score best_score;  // of best_plan
};

class Trainer {
 public:
  // All must outlive it. Ranks of one communicator must pass equal policies and options; `seed` makes the streams of
  // the ranks differ.
  Trainer(Policy& policy, Environment& environment, const Options& options, std::uint64_t seed,
          Communicator& communicator);

  // Asked before the plans are drawn, before they are measured and after; true ends the update in its midst.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }
  // Every plan that was measured here, with its score, as it comes in.
  void set_on_plan(std::function<void(const Plan&, const Score&)> on_plan) { on_plan_ = std::move(on_plan); }

  // Every plan that broke a limit of the user's and was not measured.
  void set_on_illegal(std::function<void()> on_illegal) { on_illegal_ = std::move(on_illegal); }

  // One update; nothing if it was stopped. `most` limits the plans it may measure (0: none); fewer than an update needs
  // are measured without an update.
  Result<std::optional<UpdateFacts>> update(std::uint64_t most = 0);

  [[nodiscard]] TrainState state() const;
  void restore(TrainState state);
  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] bool has_best() const { return best_plan_.has_value(); }
  [[nodiscard]] const Plan& best_plan() const { return *best_plan_; }
  [[nodiscard]] const Score& best_score() const { return best_score_; }
  // Takes over what another rank or a resumed run found, if it is better.
  void offer(const Plan& plan, const Score& score);

  // For controllers of a parameter server: the gradients of one batch, without a step. set_alone() first, so that
  // baseline and facts are this rank's own; set_updates() says how far the server is.
  void set_alone() { alone_ = true; }
  void set_updates(std::uint64_t updates) { updates_ = updates; }
  struct Gradients {
    UpdateFacts facts;
    std::vector<float> values;
  };
  Result<std::optional<Gradients>> gradients(std::uint64_t most = 0);

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Measurement> measure(Batch& batch, UpdateFacts& facts, Clock::time_point& clock);
  Status share(UpdateFacts& facts, std::span<const double> rewards, std::span<const Measurement> measured);
  [[nodiscard]] std::vector<double> weights_of(const UpdateFacts& facts, std::span<const double> rewards,
                                               std::span<const Measurement> measured, bool valid_only,
                                               std::size_t per_choice) const;
  [[nodiscard]] double scale_of(const UpdateFacts& facts) const;
  struct Moving {  // what changes before an update is known to have worked
    Rng rng;
    Baseline baseline, deviation;
    std::uint64_t evaluations;
  };

  Policy& policy_;
  Environment& environment_;
  Options options_;
  Communicator& communicator_;
  Adam adam_;
  Baseline baseline_, deviation_;
  Rng rng_;
  std::uint64_t updates_ = 0, evaluations_ = 0;
  bool alone_ = false;                // a controller of its own: nothing is summed over ranks
  std::optional<double> valid_mean_;  // mean reward of the plans of this update that fit
  std::optional<Plan> best_plan_;
  Score best_score_;
  std::function<bool()> should_stop_;
  std::function<void(const Plan&, const Score&)> on_plan_;
  std::function<void()> on_illegal_;
};

// Rate, noise and entropy weight of an update (0 is the first).
double rate_at(const Options& options, std::uint64_t update);
double noise_at(const Options& options, std::uint64_t update);
double entropy_weight_at(const Options& options, std::uint64_t update);

}  // namespace berth::learn
