// SPDX-License-Identifier: Apache-2.0
// PlacetoLearner (Addanki et al., "Placeto: Learning Generalizable Device Placement Algorithms for Distributed Machine
// Learning", 2019): a policy that improves a placement group by group, trained by REINFORCE, or PPO, on what each step
// gains.
//
// An update walks several episodes through each of its lessons, all in step, then computes the gradients of all their
// decisions a few thousand rows at a time, so that memory does not grow with the length of an episode.
#pragma once

#include <memory>

#include "learn/beliefs.h"
#include "learn/distributed/communicator.h"
#include "learn/placeto/episodes.h"
#include "learn/placeto/returns.h"
#include "learn/train/learner.h"
#include "runs/methods/placeto.h"

namespace berth::learn {

class PlacetoLearner : public Learner {
 public:
  using Groupings = std::vector<Grouping>;  // one per environment
  // Ranks of one communicator must pass equal problems and options. The communicator must outlive it.
  PlacetoLearner(std::vector<std::unique_ptr<Environment>> environments, Groupings groupings,
                 const PlacetoOptions& options, std::uint64_t seed, at::Device device, Communicator& communicator);

  Result<std::optional<UpdateFacts>> update(std::uint64_t most = 0) override;
  [[nodiscard]] std::uint64_t plans_per_update() const override;
  // Whole sweeps: a plan of Placeto is what a sweep leads to, so at least one is made, whatever `plans` says, unless
  // the search has to stop.
  void propose(std::size_t lesson, Search& search, const Proposals& wanted, Rng& rng) override;
  // Of the last turn of every group in the likeliest episode, from where propose() would begin.
  Beliefs beliefs(std::size_t lesson);

  [[nodiscard]] Parameters& parameters() override { return parameters_; }
  [[nodiscard]] TrainState state() const override;
  void restore(TrainState state) override;
  [[nodiscard]] std::uint64_t updates() const override { return updates_; }
  [[nodiscard]] std::uint64_t evaluations() const override { return evaluations_; }
  [[nodiscard]] const std::vector<LessonState>& lessons() const override { return states_; }
  void offer(std::size_t lesson, const Plan& plan, const Score& score) override { states_[lesson].offer(plan, score); }

  // For tests.
  [[nodiscard]] PlacetoLesson& lesson(std::size_t i) { return *lessons_[i]; }
  [[nodiscard]] const PlacetoNetwork& network() const { return *network_; }

 private:
  struct Attempt {
    std::size_t lesson = 0;
    PlacetoTrace trace;
    PerEpisode weights;  // what the log-probability of each decision is multiplied by
    UpdateFacts facts;
  };

  [[nodiscard]] std::vector<std::uint8_t> start_of(std::size_t lesson, Rng& rng) const;
  [[nodiscard]] bool is_decided(std::size_t lesson) const { return lessons_[lesson]->graph.size() > 0; }
  bool walk(Attempt& attempt, std::uint64_t most, UpdateFacts& facts);
  Status weigh(Attempt& attempt);
  Status note_facts(Attempt& attempt, const PerEpisode& worth);
  void push_back(const Attempt& attempt, double share);
  Result<bool> try_all(std::vector<Attempt>& attempts, std::uint64_t most, UpdateFacts& facts);
  Status learn(const std::vector<Attempt>& attempts, UpdateFacts& facts);

  PlacetoOptions options_;
  std::uint64_t seed_;
  Communicator& communicator_;
  Parameters parameters_;
  std::vector<std::unique_ptr<PlacetoLesson>> lessons_;
  std::unique_ptr<PlacetoNetwork> network_;  // none where there is nothing to decide
  std::vector<LessonState> states_;
  Adam adam_;
  Rng rng_;
  std::uint64_t updates_ = 0, evaluations_ = 0;
};

// The learner untrained, as its options say; an error where these do not go together.
Result<std::unique_ptr<PlacetoLearner>> make_placeto(std::vector<std::unique_ptr<Environment>> environments,
                                                     const PlacetoOptions& options, std::uint64_t seed,
                                                     at::Device device, Communicator& communicator);

}  // namespace berth::learn
