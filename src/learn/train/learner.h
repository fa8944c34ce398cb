// SPDX-License-Identifier: Apache-2.0
// Learner: a policy in training, whatever kind it is. It learns from one problem or from several at once (lessons), and
// is told by update() to make one step; everything that changes is in its state, so that a run can be saved, sent to
// other ranks and taken up again.
//
// An update that is stopped in its midst leaves no trace but the best plans: the state is that before it, so that a run
// that was killed and resumed gives the numbers of one that was not.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "learn/nn/adam.h"
#include "learn/nn/parameters.h"
#include "learn/train/environment.h"
#include "learn/train/policy.h"
#include "plan/planner.h"
#include "runs/options/sampling.h"
#include "runs/train_state.h"

namespace berth::learn {

// What a policy proposes without learning.
struct Proposals {
  std::uint64_t plans = 17;  // to evaluate
  // Only the policy's own samples. Else samples are drawn under rising noise (Policy::proposal_noise), and every
  // placement of a policy that orders ops is tried in the order of the critical path too.
  bool plain = false;
};

class Trainer;

class Learner {
 public:
  virtual ~Learner() = default;
  // Asked before the plans are drawn, while they are measured and after; true ends the update in its midst.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }
  // Every plan that was measured here, with the number of its lesson and its score, as it comes in.
  using OnPlan = std::function<void(std::size_t lesson, const Plan&, const Score&)>;
  void set_on_plan(OnPlan on_plan) { on_plan_ = std::move(on_plan); }
  // Whether an update that is stopped before anything is known of a lesson leaves one plan of it all the same.
  void set_must_find(bool must_find) { must_find_ = must_find; }
  // Every plan that broke a limit of the user's and was not measured.
  void set_on_illegal(std::function<void()> on_illegal) { on_illegal_ = std::move(on_illegal); }

  // One update; nothing if it was stopped. `most` limits the plans it may measure (0: none); fewer than an update needs
  // are measured without an update.
  virtual Result<std::optional<UpdateFacts>> update(std::uint64_t most = 0) = 0;
  // How many plans the next update measures on one rank.
  [[nodiscard]] virtual std::uint64_t plans_per_update() const = 0;

  // Tries plans of the policy as it is for a lesson, without learning: the most likely first, then samples, until
  // as many as are wanted were evaluated by the search or it has to stop. The search is one for the lesson's problem.
  virtual void propose(std::size_t lesson, Search& search, const Proposals& wanted, Rng& rng) = 0;

  [[nodiscard]] virtual Parameters& parameters() = 0;
  [[nodiscard]] virtual TrainState state() const = 0;
  virtual void restore(TrainState state) = 0;
  [[nodiscard]] virtual std::uint64_t updates() const = 0;
  [[nodiscard]] virtual std::uint64_t evaluations() const = 0;
  [[nodiscard]] virtual const std::vector<LessonState>& lessons() const = 0;
  // Takes over what another rank found, if it is better.
  virtual void offer(std::size_t lesson, const Plan& plan, const Score& score) = 0;
  // What a controller of a parameter server drives (distributed/controller.h). nullptr: it cannot be trained so.
  [[nodiscard]] virtual Trainer* for_async() { return nullptr; }

 protected:
  [[nodiscard]] bool is_stopped() const { return should_stop_ && should_stop_(); }
  [[nodiscard]] bool must_find(std::size_t lesson) const {
    return must_find_ && lessons()[lesson].best_known() == nullptr;
  }
  std::function<bool()> should_stop_;
  OnPlan on_plan_;
  std::function<void()> on_illegal_;
  bool must_find_ = false;
};

// The random stream of a rank. Streams of ranks differ, and differ from that of a policy's start.
Rng stream_of(std::uint64_t seed, int rank);

// Which lessons an update takes: TrainingOptions::lessons of them. A function of seed and update alone: the same on all
// ranks, and nothing to be saved.
std::vector<std::size_t> lessons_of_update(std::size_t lessons, const TrainingOptions& options, std::uint64_t seed,
                                           std::uint64_t update);
// The facts of an update from those of its lessons; times and counts of the update itself stay.
void combine(std::span<const UpdateFacts* const> lessons, UpdateFacts& facts);

using Clock = std::chrono::steady_clock;
double lap(Clock::time_point& last);  // seconds since the last call

// Rate, noise and entropy weight of an update (0 is the first).
double rate_at(const TrainingOptions& options, std::uint64_t update);
double noise_at(const SamplingOptions& options, std::uint64_t update);
double entropy_weight_at(const TrainingOptions& options, std::uint64_t update);

// Which steps of an episode a reward is credited to; where there are no episodes, every plan is one of its own.
// `weights`: of plans, episode by episode of `steps` each.
//   kPlan        every plan for itself
//   kDiscounted  that of step i (1 is the first) times discount^i, as in the paper of HSDAG
//   kShared      all steps alike: the sum over the episode, the newest with weight 1 and each earlier one times the
//               discount once more, as in its released code
std::vector<double> credit_steps(std::vector<double> weights, Credit rule, double discount, std::size_t steps);

}  // namespace berth::learn
