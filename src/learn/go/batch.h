// SPDX-License-Identifier: Apache-2.0
// One batch of a GoPolicy: the choices that were drawn, and what the loss needs of them. The network runs once for all
// plans of a batch.
#pragma once

#include <optional>
#include <vector>

#include "learn/go/policy.h"

namespace berth::learn {

class GoBatch : public Batch {
 public:
  GoBatch(const GoPolicy& policy, const Sampling& sampling, Rng& rng);
  // The batch of choices that are given.
  GoBatch(const GoPolicy& policy, std::vector<GoPolicy::Choices> choices);
  void prepare() override;
  Tensor loss(const LossTerms& terms) override;
  [[nodiscard]] std::vector<double> log_probabilities() const override;
  [[nodiscard]] Entropies entropies() const override { return entropies_; }

 private:
  void draw(const GoLogits& logits, int plans, Rng& rng);
  void make_plans();
  [[nodiscard]] Tensor placement_logs(const GoLogits& logits) const;  // [plans or 1, nodes, devices]
  // Of what was chosen, choice by choice [plans, nodes].
  [[nodiscard]] Tensor of_order(const Tensor& logits) const;

  const GoPolicy& policy_;
  std::vector<GoPolicy::Choices> choices_;
  Tensor noise_;                            // [plans, nodes, devices]; undefined: none
  std::optional<GoLogits> drawn_from_;      // until the first prepare()
  Tensor device_, schedule_, fusion_;       // [plans, nodes]
  std::vector<Tensor> log_now_, log_then_;  // a task each; then: when they were first prepared
  Tensor spread_;                           // entropy, summed over tasks and nodes
  Entropies entropies_;
};

// Noise that explores whole stretches of a graph at once: for every device a random wave over the coordinates of the
// nodes (random Fourier features). Nodes near each other get about the same noise, so that a plan drawn under it tries
// one half of the model here and the other there. Drawn by itself, every node of a large graph would go its own way,
// and all such plans are alike bad.
//
// [plans, nodes, devices], of about the given deviation in logits for the devices with the largest share, less for
// those with less.
Tensor field_noise(const GoGraph& graph, int plans, double deviation, Rng& rng);

}  // namespace berth::learn
