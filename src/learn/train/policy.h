// SPDX-License-Identifier: Apache-2.0
// Policy: a distribution over plans that can be sampled, and whose log-probabilities can be made larger or smaller.
// What is learned from are the very actions that were measured: a Batch keeps them, with the noise under which they
// were drawn.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/rng.h"
#include "learn/nn/parameters.h"
#include "learn/nn/tensor.h"
#include "problem/problem.h"
#include "runs/train_state.h"

namespace berth::learn {

struct Sampling {
  int groupings = 1;    // m
  int placements = 4;   // k, for each of them
  double noise = 0.0;   // deviation of what is added to logits, as a share of their root mean square
  bool rising = false;  // the first plan has none of it, the last all, where a policy draws noise for every plan
  // Plans that differ from this one in a few choices are wanted; policies that cannot draw such leave it.
  const Plan* near = nullptr;
  // A batch that takes long asks now and then, also in its loss, whether to give up: what it has is of no use then.
  std::function<bool()> should_stop = {};
};

struct LossTerms {
  std::span<const double> weights;
  double entropy_weight = 0.0;
  double ratio_clip = 0.0;  // 0: plain policy gradient
};

// What a choice contributes to what is maximised: weight * log p, or PPO's clipped surrogate (Schulman et al., 2017)
// min(r w, clip(r, 1 - c, 1 + c) w) with r = p / p_then, choice by choice. All of one shape; `log_then` is a constant.
Tensor surrogate(const Tensor& log_now, const Tensor& log_then, const Tensor& weight, double ratio_clip);

class Batch {
 public:
  virtual ~Batch() = default;
  [[nodiscard]] std::span<const Plan> plans() const { return plans_; }  // grouping by grouping
  // The expensive half of the loss, that needs no rewards: runs while the plans are measured. Once more after the
  // parameters have moved, to learn from the same plans again.
  virtual void prepare() = 0;
  // To be minimised: - sum over plans of weight * log p(plan), less entropy_weight * entropy; with a ratio clip the
  // surrogate of PPO instead. weights[i] belongs to plans()[i]; a plan that does not count has weight 0.
  virtual Tensor loss(const LossTerms& terms) = 0;
  // log p of every plan's actions. After prepare().
  [[nodiscard]] virtual std::vector<double> log_probabilities() const = 0;
  [[nodiscard]] virtual Entropies entropies() const = 0;
  // Plans in a row that share a choice, such as a grouping: none of them may be part of the others' baseline.
  [[nodiscard]] virtual std::size_t plans_per_choice() const { return 1; }
  // Whether it gave up (Sampling::should_stop).
  [[nodiscard]] virtual bool was_stopped() const { return false; }
  // Groups in use, averaged over the groupings; 0 where a policy has none.
  [[nodiscard]] virtual double used_groups() const { return 0.0; }

 protected:
  std::vector<Plan> plans_;
};

class Policy {
 public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual Parameters& parameters() = 0;
  [[nodiscard]] const Parameters& parameters() const { return const_cast<Policy*>(this)->parameters(); }
  virtual std::unique_ptr<Batch> sample(const Sampling& sampling, Rng& rng) = 0;
  // Told before every update how many there were: what is learned may change with time.
  virtual void begin_update(std::uint64_t /*updates*/) {}
  // The most likely plan, choice by choice.
  virtual Plan greedy() = 0;
  // The most noise under which it proposes plans where it does not learn: policies are too sure of themselves on graphs
  // that they have not seen.
  [[nodiscard]] virtual double proposal_noise() const { return 0.0; }
};

}  // namespace berth::learn
