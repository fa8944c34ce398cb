// SPDX-License-Identifier: Apache-2.0
// What a run of training is made of, as plain values: where it is (TrainState) and what an update was like
// (UpdateFacts). Nothing here needs libtorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "problem/plan.h"
#include "sim/timeline.h"

namespace berth::learn {

// How spread the choices still are, in nats per choice; the uniform distribution's is log(choices).
struct Entropies {
  double grouping = 0.0, placing = 0.0;
  double most_grouping = 0.0, most_placing = 0.0;  // of the uniform distribution
};

// What one update was like. Over all ranks where they train together, and over its lessons.
struct UpdateFacts {
  std::uint64_t update = 0;       // 1 is the first
  std::uint64_t evaluations = 0;  // so far, this update included, of all ranks
  double mean_reward = 0.0, reward_deviation = 0.0, baseline = 0.0;
  double mean_time_s = 0.0;    // of the plans of this update that fit; 0 if none does
  int plans = 0, fitting = 0;  // of this update
  double gradient_norm = 0.0, rate = 0.0, noise = 0.0;
  Entropies entropies;
  double used_groups = 0.0;
  // Of the best plan so far that fits; of several lessons the geometric mean, once all have one.
  std::optional<double> best_s;
  // Where the time of this update went, on this rank: sampling, what needs no reward, waiting for measurements, the
  // gradients, exchange and step.
  double sample_s = 0.0, prepare_s = 0.0, wait_s = 0.0, gradient_s = 0.0, step_s = 0.0;
};

struct AdamState {
  std::uint64_t steps = 0;
  std::vector<float> mean, square;
};

struct ScoredPlan {
  Plan plan;
  Score score;
  bool operator==(const ScoredPlan&) const = default;
};

// What a learner keeps of one lesson.
struct LessonState {
  std::optional<double> baseline, deviation;  // moving averages of rewards
  std::optional<ScoredPlan> best;             // of all updates that are done
  // Better than that, found by an update that is not done. Learning must not see it: an update that was stopped is made
  // again, and has to begin as it began the first time.
  std::optional<ScoredPlan> ahead;

  // Takes a plan over if it is better.
  void offer(const Plan& plan, const Score& score);
  void offer_ahead(const Plan& plan, const Score& score);
  void finish_update();  // what was found ahead is the best now
  [[nodiscard]] const ScoredPlan* best_known() const { return ahead ? &*ahead : best ? &*best : nullptr; }
};

// A tensor of a policy: its numbers are a stretch of TrainState::values.
struct TensorLayout {
  std::string name;
  std::vector<std::int64_t> shape;
  bool operator==(const TensorLayout&) const = default;
};

// Everything that changes from update to update, policy values included: what a checkpoint keeps.
struct TrainState {
  std::uint64_t updates = 0, evaluations = 0;
  std::vector<TensorLayout> layout;  // of the values, in their order; empty in checkpoints of version 2
  std::vector<float> values;
  AdamState adam;
  Rng rng{0};
  std::vector<LessonState> lessons;
};

// Of the best plans of all lessons, the geometric mean of their times; nothing while one has none that fits.
std::optional<double> best_time_of(const std::vector<LessonState>& lessons);

}  // namespace berth::learn
