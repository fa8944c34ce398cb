// SPDX-License-Identifier: Apache-2.0
// Trainer: policy gradient (REINFORCE, Williams 1992) with a baseline, or PPO (Schulman et al., 2017). One update
// samples plans for its lessons, measures them while the policy computes what needs no reward, and moves the parameters
// once, or with PPO several times by the same plans.
//
// Of several lessons every update takes TrainingOptions::lessons, drawn anew each time and the same on all ranks. Each
// has a baseline of its own, so that slow graphs do not drown quick ones.
#pragma once

#include <memory>

#include "learn/distributed/communicator.h"
#include "learn/train/learner.h"
#include "runs/options/sampling.h"

namespace berth::learn {

// A problem to learn from: the policy for it and where its plans are measured. The policies of all lessons share one
// set of parameters.
struct Lesson {
  std::unique_ptr<Policy> policy;
  std::unique_ptr<Environment> environment;
};

class Trainer : public Learner {
 public:
  // At least one lesson. Ranks of one communicator must pass equal policies and options; `seed` makes the streams of
  // the ranks differ. The communicator must outlive it.
  Trainer(std::vector<Lesson> lessons, const SamplingOptions& options, std::uint64_t seed, Communicator& communicator);

  Result<std::optional<UpdateFacts>> update(std::uint64_t most = 0) override;
  [[nodiscard]] std::uint64_t plans_per_update() const override;
  void propose(std::size_t lesson, Search& search, const Proposals& wanted, Rng& rng) override;

  [[nodiscard]] Parameters& parameters() override { return lessons_.front().policy->parameters(); }
  [[nodiscard]] TrainState state() const override;
  void restore(TrainState state) override;
  [[nodiscard]] std::uint64_t updates() const override { return updates_; }
  [[nodiscard]] std::uint64_t evaluations() const override { return evaluations_; }
  [[nodiscard]] const std::vector<LessonState>& lessons() const override { return states_; }
  void offer(std::size_t lesson, const Plan& plan, const Score& score) override { states_[lesson].offer(plan, score); }
  [[nodiscard]] Trainer* for_async() override { return this; }

  // For controllers of a parameter server: the gradients of one batch, without a step. set_alone() first, so that
  // baseline and facts are this rank's own; set_updates() says how far the server is.
  void set_alone() { alone_ = true; }
  void set_updates(std::uint64_t updates) { updates_ = updates; }
  struct Gradients {
    UpdateFacts facts;
    std::vector<float> values;
  };
  Result<std::optional<Gradients>> gradients(std::uint64_t most = 0);
  void finish_update();  // the best plans of this batch count from now on

 private:
  // What an update tried for one lesson.
  struct Attempt {
    std::size_t lesson = 0;
    std::unique_ptr<Batch> batch;
    std::vector<Measurement> measured;
    std::vector<double> rewards, weights;
    UpdateFacts facts;                 // of this lesson alone
    std::optional<double> valid_mean;  // mean reward of the plans that fit
    std::optional<double> near;        // reward of the plan that all were drawn near (SamplingOptions::near_best)
  };
  struct Moving {  // what changes before an update is known to have worked
    Rng rng;
    std::vector<std::pair<Baseline, Baseline>> baselines;
    std::uint64_t evaluations;
  };

  void leave_a_plan(Attempt& attempt);
  void give_up(const Moving& before);
  bool try_lesson(Attempt& attempt, std::uint64_t most, UpdateFacts& facts);
  bool measure(Attempt& attempt, UpdateFacts& facts, Clock::time_point& clock);
  Status share(Attempt& attempt);
  Status weigh(Attempt& attempt, double share_of_lesson);
  [[nodiscard]] std::vector<double> weights_of(const Attempt& attempt, bool valid_only, double share_of_lesson) const;
  [[nodiscard]] bool is_near_best() const;  // the plans of the next update
  [[nodiscard]] double scale_of(const Attempt& attempt) const;
  void push_back(const Attempt& attempt);  // its gradients onto those of the parameters
  Status step(std::vector<float> gradients, UpdateFacts& facts);
  Status learn_again(UpdateFacts& facts);  // the further epochs of PPO
  [[nodiscard]] Moving moving() const { return {rng_, baselines_, evaluations_}; }
  void undo(Moving before);

  std::vector<Lesson> lessons_;
  std::vector<LessonState> states_;                       // but for the baselines, which are in:
  std::vector<std::pair<Baseline, Baseline>> baselines_;  // of every lesson: mean and deviation of rewards
  SamplingOptions options_;
  std::uint64_t seed_;
  Communicator& communicator_;
  Adam adam_;
  Rng rng_;
  std::uint64_t updates_ = 0, evaluations_ = 0;
  bool alone_ = false;             // a controller of its own: nothing is summed over ranks
  std::vector<Attempt> attempts_;  // of the update that is going on
};

}  // namespace berth::learn
